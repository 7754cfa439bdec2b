/** Icons as drawings: the typeface has no arrows, and one hand draws everything. */
import type { ComponentChildren } from 'preact';

function Icon({ children, box = 24 }: { children: ComponentChildren; box?: number }) {
  return (
    <svg class="icon" viewBox={`0 0 ${box} ${box}`} aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

/** The way out. */
export const Cross = () => <Icon><path d="M6 6l12 12M18 6L6 18" /></Icon>;

/** One step back. */
export const Back = () => <Icon><path d="M15 5l-7 7 7 7" /></Icon>;

/** One page on. */
export const Next = () => <Icon><path d="M9 5l7 7-7 7" /></Icon>;

/** Over again. */
export const Turn = () => <Icon><path d="M5 12a7 7 0 1 1 2.5 5.4M5 19v-5h5" /></Icon>;

/** Time. */
export const Clock = () => <Icon><circle cx="12" cy="12" r="8.5" /><path d="M12 7v5l3 3" /></Icon>;

/** Yes. */
export const Tick = () => <Icon><path d="M5 12.5l4.5 4.5L19 7.5" /></Icon>;

/** Something is not as it should be. */
export const Sign = () => <Icon><path d="M12 5v9M12 18.6v.2" /></Icon>;

/** The shutter's camera. */
export const CameraIcon = () => (
  <Icon box={32}>
    <path d="M5 10h5l2.4-4h7.2L22 10h5a2 2 0 0 1 2 2v12a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V12a2 2 0 0 1 2-2z" />
    <circle cx="16" cy="17.5" r="5" />
  </Icon>
);

/** The sticker with a smile: our sign. */
export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path class="mark-sheet" d="M6 3h20a3 3 0 0 1 3 3v14l-9 9H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3z" />
    <path class="mark-fold" d="M29 20h-6a3 3 0 0 0-3 3v6z" />
    <path class="mark-line" d="M11 11.2v1.6M20 11.2v1.6M10 18q5 5 9 1" />
  </svg>
);

/** Waves that do not arrive. */
export const Waves = () => (
  <svg class="waves" viewBox="0 0 200 150" aria-hidden="true" focusable="false">
    <path class="waves-rim" d="M22 58Q100-16 178 58M50 88Q100 42 150 88" />
    <circle class="waves-rim" cx="100" cy="126" r="9" />
    <path class="waves-far" d="M22 58Q100-16 178 58" />
    <path class="waves-near" d="M50 88Q100 42 150 88" />
    <circle class="waves-dot" cx="100" cy="126" r="15" />
    <circle class="waves-core" cx="100" cy="126" r="4" />
  </svg>
);
