/**
 * What the kiosk knows, what can happen to it and what it may ask of the outside. Nothing here acts: `machine.ts`
 * decides, `effects/` acts, `screens/` shows.
 */
import type { Language, TextKey } from '../../../shared/texts/index.ts';

/** The steps of a guest's session, as the server names them. */
export type SessionStatus = 'idle' | 'linked' | 'consented' | 'template_chosen' | 'photo_taken' | 'expired';

/** The steps of a job, as the server names them. */
export type JobStatus = 'queued' | 'processing' | 'delivering' | 'done' | 'failed';

/** The guest's pack in the making: place in line and measured wait. */
export interface Job {
  status: JobStatus;
  position: number | null;
  eta_seconds: number | null;
}

/** A session as the server tells it. */
export interface Session {
  token: string;
  status: SessionStatus;
  template_id: string | null;
  closed_reason: string | null;
  notice: 'pack_ready' | 'pack_in_progress' | null;
  first_name: string | null;
  language: Language | null;
  job: Job | null;
}

/** What the server tells once, when a session begins. */
export interface Opened {
  token: string;
  deepLink: string;
  qrSvg: string;
}

/** An outfit to choose. */
export interface Template {
  id: string;
  titles: Record<Language, string>;
  previewUrl: string;
  stickers: number;
}

/** Who receives the guests and which page the server has now. */
export interface Config {
  eventName: string;
  brandName: string;
  version: string;
}

/** Why the kiosk gives a session up; the codes are the server's. */
export type CloseReason = 'qr_timeout' | 'idle_timeout' | 'cancel' | 'staff_reset' | 'camera_error' | 'kiosk_reset';

/** Why the camera cannot be used: no permission, or no answer. */
export type CameraFault = 'denied' | 'camera';

/** What the guest is looking at, with what exists only there. Times are milliseconds of the clock passed in. */
export type Screen =
  | { name: 'attract'; starting: boolean }
  | { name: 'qr'; qrSvg: string; deepLink: string; until: number }
  | { name: 'consent' }
  | { name: 'outfits'; choosing: string | null }
  | { name: 'camera'; since: number; fault: CameraFault | null }
  | { name: 'check'; sendAt: number }
  | { name: 'sending'; share: number; movedAt: number; attempts: number }
  | { name: 'queue'; job: Job; wait: number | null; waitSince: number; freeAt: number }
  | { name: 'done'; until: number }
  | { name: 'ready'; until: number }
  | { name: 'progress'; until: number }
  | { name: 'failed'; until: number }
  | { name: 'problem'; fault: CameraFault; until: number }
  | { name: 'break'; resume: 'outfits' | 'sending' | null; since: number }
  | { name: 'setup' };

/** The name of a screen; `offline` is shown over another one and is no state of its own. */
export type ScreenName = Screen['name'] | 'offline';

/** A line that is shown over a screen for a while: a refusal, or why the guest is back at the start. */
export interface Message {
  key: TextKey;
  until: number;
}

/** Everything the page knows. */
export interface State {
  screen: Screen;
  session: Session | null;
  /** In memory only, never stored, gone with the session. */
  photo: Blob | null;
  retaken: boolean;
  language: Language;
  /** The language of the next guest, set on the set-up page. */
  homeLanguage: Language;
  /** The guest's own language took over already; after that only the switch changes it. */
  languageTaken: boolean;
  /** Since when the server cannot be reached. */
  offlineSince: number | null;
  /** The last sign of a guest: a touch or a step of the session. */
  touchedAt: number;
  /** Until when the idle question waits for an answer. */
  askingUntil: number | null;
  message: Message | null;
  /** The phone is a tab of this browser: the link leads to this computer, where no real phone could follow it. */
  demo: boolean;
  /** A stored session is being asked for after a reload. */
  resuming: boolean;
  /** What a reload found: the QR of a session that nobody scanned yet. */
  kept: Kept | null;
  templates: Template[];
  config: Config | null;
  /** The version this page came with; another one in `config` means that a newer page waits. */
  loadedVersion: string | null;
  now: number;
}

/** What outlives a reload: the token, and the QR while it waits. No name, no photo. */
export interface Kept {
  token: string;
  demo: boolean;
  qr: { svg: string; link: string; until: number } | null;
}

/** Why the server said no. `status` and `notice` come with some of the codes. */
export interface Refusal {
  code: string;
  notice: Session['notice'];
  status: SessionStatus | null;
}

/** What can happen. */
export type Event =
  | { type: 'tick' }
  | { type: 'touched' }
  | { type: 'language_tapped'; language: Language }
  | { type: 'home_language_set'; language: Language }
  | { type: 'start_tapped' }
  | { type: 'session_opened'; opened: Opened }
  | { type: 'start_refused'; refusal: Refusal }
  | { type: 'session_changed'; session: Session }
  | { type: 'session_unknown'; token: string }
  | { type: 'cancel_tapped' }
  | { type: 'staff_tapped' }
  | { type: 'outfit_tapped'; id: string }
  | { type: 'outfit_refused'; refusal: Refusal }
  | { type: 'other_outfit_tapped' }
  | { type: 'photo_taken'; photo: Blob }
  | { type: 'retake_tapped' }
  | { type: 'send_tapped' }
  | { type: 'upload_moved'; share: number }
  | { type: 'upload_accepted'; job: Job }
  | { type: 'upload_refused'; refusal: Refusal }
  | { type: 'camera_failed'; fault: CameraFault }
  | { type: 'network_lost' }
  | { type: 'network_back' }
  | { type: 'maintenance_seen'; on: boolean }
  | { type: 'templates_loaded'; templates: Template[] }
  | { type: 'config_loaded'; config: Config }
  | { type: 'leave_tapped' }
  | { type: 'stay_tapped' }
  | { type: 'setup_opened' }
  | { type: 'setup_closed' };

/** What the machine asks of the outside. Each is safe to do twice. */
export type Command =
  | { type: 'open_session'; language: Language }
  | { type: 'look'; token: string }
  | { type: 'choose'; token: string; id: string }
  | { type: 'upload'; token: string; photo: Blob }
  | { type: 'stop_upload' }
  | { type: 'expire'; token: string; reason: CloseReason }
  | { type: 'load_templates' }
  | { type: 'reload_page' };

/** The state after an event, and what is to be done about it. */
export interface Step {
  state: State;
  commands: Command[];
}

/** After so many attempts without an answer the guest is asked to take the photo again. */
export const uploadAttempts = 20;

/** How long things wait, in milliseconds. */
export const timing = {
  qr: 90_000,
  /** The ring and its words turn pomegranate. */
  qrHurry: 15_000,
  outfitsIdle: 45_000,
  cameraIdle: 60_000,
  /** The guest reads and taps on the phone, so the tablet is patient. */
  consentIdle: 120_000,
  question: 15_000,
  checkAnswer: 20_000,
  queueShown: 20_000,
  doneShown: 8_000,
  noticeShown: 15_000,
  problemShown: 10_000,
  messageShown: 6_000,
  /** The wait in words changes at most this often. */
  waitSteady: 10_000,
  /** Without a byte moved for this long the screen says that the network is slow. */
  sendSlow: 3_000,
  /** A guest who waits in a break for longer has left. */
  breakHeld: 300_000,
  /** A lost network is shown as a screen only after this, so that a hiccup does not flash. */
  offlineShown: 3_000,
  /** The way out of the offline screen appears. */
  offlineOut: 10_000,
  /** A page that waits for its guest this long may be replaced by a newer one. */
  renewAfter: 30_000,
} as const;

/** The machine before anything happened. `kept` is what a reload found. */
export function begin(language: Language, kept: Kept | null, now: number): State {
  return {
    screen: { name: 'attract', starting: false },
    session: null,
    photo: null,
    retaken: false,
    language,
    homeLanguage: language,
    languageTaken: false,
    offlineSince: null,
    touchedAt: now,
    askingUntil: null,
    message: null,
    demo: kept?.demo ?? false,
    resuming: kept !== null,
    kept,
    templates: [],
    config: null,
    loadedVersion: null,
    now,
  };
}
