/** Our own drawings: the page's mark, a sticker for each door while there is no rendered one, and the diagram's figures. */
import type { ComponentChildren } from 'preact';
import type { Door } from './demo.ts';

/** A sheet that smiles and begins to peel off. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 64 64" width="36" height="36" aria-hidden="true" focusable="false">
      <path class="white" d="M16 8h32a8 8 0 0 1 8 8v22L38 56H16a8 8 0 0 1-8-8V16a8 8 0 0 1 8-8Z" />
      <path class="anor" d="M56 38H46a8 8 0 0 0-8 8v10Z" />
      <path class="line" d="M24 22v5M42 22v5M22 36q8 8 17 1" />
    </svg>
  );
}

/** A face on a sheet that holds what the door is about. */
export function DoorDrawing({ door }: { door: Door }) {
  const shapes = (
    <>
      <path class="white" d="M34 16h52a12 12 0 0 1 12 12v40L70 98H34a12 12 0 0 1-12-12V28a12 12 0 0 1 12-12Z" />
      <path class="anor" d="M98 68H82a12 12 0 0 0-12 12v18Z" />
      <path class="line" d="M46 38v8M74 38v8M42 60q16 15 32-1" />
      {HELD[door]}
    </>
  );
  return (
    <svg class="drawing" viewBox="0 0 140 140" width="140" height="140" aria-hidden="true" focusable="false">
      <g class="rim">{shapes}</g>
      {shapes}
    </svg>
  );
}

const HELD: Record<Door, ComponentChildren> = {
  kiosk: (
    <path
      class="saffron"
      d="M82 74h38a6 6 0 0 1 6 6v42a6 6 0 0 1-6 6H82a6 6 0 0 1-6-6V80a6 6 0 0 1 6-6ZM92 108l9-12 6 7 4-4 6 9Z"
    />
  ),
  guest: (
    <path class="feruza" d="M92 68h22a7 7 0 0 1 7 7v46a7 7 0 0 1-7 7H92a7 7 0 0 1-7-7V75a7 7 0 0 1 7-7ZM99 120h8" />
  ),
  group: (
    <path
      class="saffron"
      d="M78 82h40a8 8 0 0 1 8 8v18a8 8 0 0 1-8 8h-14l-12 12v-12H78a8 8 0 0 1-8-8V90a8 8 0 0 1 8-8ZM84 95h28M84 105h18"
    />
  ),
  admin: <path class="feruza" d="M72 120a28 28 0 1 1 56 0ZM100 118l12-17M82 116h1M117 116h1M100 99h0" />,
  landing: (
    <path
      class="saffron"
      d="M76 78h46a6 6 0 0 1 6 6v38a6 6 0 0 1-6 6H76a6 6 0 0 1-6-6V84a6 6 0 0 1 6-6ZM70 92h58M80 104h22M80 114h14M110 104h8v12h-8Z"
    />
  ),
};

/** The four figures of the diagram. */
export function Figure({ of }: { of: 'tablet' | 'server' | 'telegram' | 'phone' }) {
  return (
    <svg class="figure" viewBox="0 0 96 96" width="96" height="96" aria-hidden="true" focusable="false">
      {FIGURES[of]}
    </svg>
  );
}

const FIGURES = {
  tablet: (
    <>
      <path class="white" d="M22 6h52a8 8 0 0 1 8 8v54a8 8 0 0 1-8 8H22a8 8 0 0 1-8-8V14a8 8 0 0 1 8-8Z" />
      <path class="saffron" d="M22 14h52v46H22Z" />
      <path class="white" d="M38 26h20a4 4 0 0 1 4 4v14L52 54H38a4 4 0 0 1-4-4V30a4 4 0 0 1 4-4Z" />
      <path class="line" d="M43 35v3M53 35v3M41 44q6 5 12 0M44 68h8M40 76l-6 14M56 76l6 14M30 90h36" />
    </>
  ),
  server: (
    <>
      <path class="feruza" d="M18 12h60a6 6 0 0 1 6 6v14a6 6 0 0 1-6 6H18a6 6 0 0 1-6-6V18a6 6 0 0 1 6-6Z" />
      <path class="white" d="M18 38h60a6 6 0 0 1 6 6v14a6 6 0 0 1-6 6H18a6 6 0 0 1-6-6V44a6 6 0 0 1 6-6Z" />
      <path class="saffron" d="M18 64h60a6 6 0 0 1 6 6v10a6 6 0 0 1-6 6H18a6 6 0 0 1-6-6V70a6 6 0 0 1 6-6Z" />
      <path class="line" d="M24 25h4M36 25h4M54 25h18M24 51h4M36 51h4M54 51h18M24 75h4M36 75h4M54 75h18" />
    </>
  ),
  telegram: (
    <>
      <path
        class="white"
        d="M18 12h48a10 10 0 0 1 10 10v22a10 10 0 0 1-10 10H38L24 68V54h-6A10 10 0 0 1 8 44V22a10 10 0 0 1 10-10Z"
      />
      <path
        class="feruza"
        d="M46 44h32a10 10 0 0 1 10 10v14a10 10 0 0 1-10 10h-2v12L62 78H46a10 10 0 0 1-10-10V54a10 10 0 0 1 10-10Z"
      />
      <path class="line" d="M22 26h36M22 36h20M50 61h0M62 61h0M74 61h0" />
    </>
  ),
  phone: (
    <>
      <path class="white" d="M30 6h36a9 9 0 0 1 9 9v66a9 9 0 0 1-9 9H30a9 9 0 0 1-9-9V15a9 9 0 0 1 9-9Z" />
      <path class="green" d="M29 18h38v56H29Z" />
      <path class="anor" d="M48 60 34 46q-5-8 2-12 7-3 12 4 5-7 12-4 7 4 2 12Z" />
      <path class="line" d="M43 12h10M44 82h8" />
    </>
  ),
} as const;

/** A long arrow; the sheet turns it where the diagram runs downwards. */
export function Arrow() {
  return (
    <svg class="arrow" viewBox="0 0 100 20" width="100" height="20" aria-hidden="true" focusable="false">
      <path class="line" d="M4 10h88M82 3l10 7-10 7" />
    </svg>
  );
}

/** A padlock beside the promise that nothing leaves. */
export function Lock() {
  return (
    <svg class="lock" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path
        class="line"
        d="M6 11h12a2 2 0 0 1 2 2v6a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-6a2 2 0 0 1 2-2ZM8 11V7a4 4 0 0 1 8 0v4M12 15v2"
      />
    </svg>
  );
}
