/** What the running demo says of itself. */

/** The five places of an event, in the order of the story. */
export const DOORS = ['kiosk', 'guest', 'group', 'admin', 'landing'] as const;

/** One of the places. */
export type Door = (typeof DOORS)[number];

/** The answer of `/demo.json`; an address that is `null` belongs to a part that is not there yet. */
export interface Demo {
  urls: Record<Door, string | null>;
  dataDir: string;
  version: string;
  stickers: string[];
  /** Who may sign in to the panel. */
  admin: { login: string; password: string } | null;
}

/** Reads the answer. Anything odd in it counts as absent: the page must open in any case. */
export function demoOf(given: unknown): Demo {
  const value = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>;
  const text = (key: string): string | null => {
    const found = value[key];
    return typeof found === 'string' && found !== '' ? found : null;
  };
  const stickers = value['stickers'];
  const [login, password] = [text('admin_login'), text('admin_password')];
  return {
    urls: {
      kiosk: web(text('kiosk_url')),
      guest: web(text('guest_url')),
      group: web(text('group_url')),
      admin: web(text('admin_url')),
      landing: web(text('landing_url')),
    },
    dataDir: text('data_dir') ?? '',
    version: text('version') ?? '',
    admin: login !== null && password !== null ? { login, password } : null,
    stickers: Array.isArray(stickers) ? stickers.filter((url) => typeof url === 'string') : [],
  };
}

/** Only an address of the web, or a path on our own, may become a door. */
function web(url: string | null): string | null {
  return url !== null && (/^https?:\/\//i.test(url) || /^\/(?!\/)/.test(url)) ? url : null;
}

/** The picture of a door: different doors have different stickers for as long as there are enough. */
export function stickerOf(demo: Demo | null, door: Door): string | null {
  const stickers = demo?.stickers ?? [];
  return stickers.length === 0 ? null : (stickers[DOORS.indexOf(door) % stickers.length] ?? null);
}
