/** The page's icons, drawn here because the typeface has no arrows. All are decoration: the words stand beside them. */
import type { ComponentChildren } from 'preact';

function Icon({ children, size = 22 }: { children: ComponentChildren; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {children}
    </svg>
  );
}

/** A paper plane. */
export const SendIcon = () => (
  <Icon>
    <path class="solid" d="M3.4 4.2 21 12 3.4 19.8 6.6 12Z" />
  </Icon>
);

/** A cross. */
export const CloseIcon = () => (
  <Icon>
    <path d="M6 6 18 18M18 6 6 18" />
  </Icon>
);

/** Three lines. */
export const MenuIcon = () => (
  <Icon>
    <path d="M4 7h16M4 12h16M4 17h16" />
  </Icon>
);

/** An arrow down. */
export const DownIcon = () => (
  <Icon>
    <path d="M12 4v15M6 13l6 6 6-6" />
  </Icon>
);

/** An arrow that turns back: answer. */
export const ReplyIcon = () => (
  <Icon size={18}>
    <path d="M10 6 4 12l6 6M4.5 12H14a6 6 0 0 1 6 6" />
  </Icon>
);

/** An arrow that leaves a box: the link opens another tab. */
export const OutIcon = () => (
  <Icon size={16}>
    <path d="M8 5H5v14h14v-3M12 4h8v8M20 4 10 14" />
  </Icon>
);

/** A sheet that can be saved. */
export const FileIcon = () => (
  <Icon size={26}>
    <path d="M6 3h8l5 5v13H6ZM14 3v5h5M12 11v6M9 14.5l3 3 3-3" />
  </Icon>
);

/** A sticker that begins to peel off. */
export const StickerIcon = () => (
  <Icon>
    <path d="M6 3h12a3 3 0 0 1 3 3v8l-7 7H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3ZM21 14h-4a3 3 0 0 0-3 3v4M8.5 8.5v1M15.5 8.5v1M8 13q3.5 3 7 .4" />
  </Icon>
);

/** A slash in a box: commands. */
export const SlashIcon = () => (
  <Icon>
    <path d="M6 3h12a3 3 0 0 1 3 3v12a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V6a3 3 0 0 1 3-3ZM14.5 7l-5 10" />
  </Icon>
);

/** A tick. */
export const TickIcon = () => (
  <Icon>
    <path d="M5 13l5 5L19 7" />
  </Icon>
);

/** The face of a bot: our peeling sticker. */
export function BotFace({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 64 64" aria-hidden="true" focusable="false">
      <path class="bot-sheet" d="M18 12h28a6 6 0 0 1 6 6v19L37 52H18a6 6 0 0 1-6-6V18a6 6 0 0 1 6-6Z" />
      <path class="bot-peel" d="M52 37h-9a6 6 0 0 0-6 6v9Z" />
      <path class="bot-line" d="M24 24v5M40 24v5M22 36q8 8 15 1" />
    </svg>
  );
}
