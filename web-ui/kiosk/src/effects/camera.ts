/** The tablet's camera: opened for the camera screen only, mirrored by CSS, photographed unmirrored. */
import { crop, fitWithin, type Size } from './crop.ts';
import type { CameraFault } from '../machine/model.ts';

/** The longer side of a photo, and of a frame for the face check, in pixels. */
const sides = { photo: 1600, frame: 256 } as const;

/** A camera that nobody answers for is given up after this. */
const openLimit = 20_000;

/** The one camera of the page. */
export interface Camera {
  open(): Promise<{ stream: MediaStream } | { fault: CameraFault }>;
  close(): void;
  /** Calls back when an open camera stops by itself. */
  onLost(hear: (() => void) | null): void;
  /** For the heartbeat, without switching the camera on. */
  health(): Promise<'ok' | 'denied' | 'lost'>;
}

/** The camera over the browser's media devices. */
export function frontCamera(): Camera {
  let stream: MediaStream | null = null;
  let opening: Promise<{ stream: MediaStream } | { fault: CameraFault }> | null = null;
  let lost: (() => void) | null = null;
  let fault: CameraFault | null = null;
  let wanted = false;

  async function start(): Promise<{ stream: MediaStream } | { fault: CameraFault }> {
    try {
      const fresh = await within(openLimit, ask());
      fault = null;
      if (!wanted) {
        stop(fresh);
        return { fault: 'camera' };
      }
      stream = fresh;
      for (const track of fresh.getVideoTracks()) track.addEventListener('ended', () => lost?.());
      return { stream: fresh };
    } catch (error) {
      fault = error instanceof DOMException && error.name === 'NotAllowedError' ? 'denied' : 'camera';
      return { fault };
    } finally {
      opening = null;
    }
  }

  return {
    async open() {
      wanted = true;
      if (stream !== null && stream.active) return { stream };
      opening ??= start();
      return opening;
    },
    close() {
      wanted = false;
      if (stream !== null) stop(stream);
      stream = null;
    },
    onLost(hear) {
      lost = hear;
    },
    async health() {
      if (fault !== null) return fault === 'denied' ? 'denied' : 'lost';
      return (await hasCamera()) ? 'ok' : 'lost';
    },
  };
}

async function ask(): Promise<MediaStream> {
  if (navigator.mediaDevices === undefined) throw new DOMException('no camera without a secure page', 'NotSupportedError');
  const size = { width: { ideal: 1920 }, height: { ideal: 1080 } };
  return navigator.mediaDevices.getUserMedia({ audio: false, video: { facingMode: 'user', ...size } });
}

function stop(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}

async function hasCamera(): Promise<boolean> {
  try {
    const devices = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
    return devices.some((device) => device.kind === 'videoinput');
  } catch {
    return false;
  }
}

function within<T>(limit: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DOMException('the camera does not answer', 'TimeoutError')), limit);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The part of the picture that the preview shows, as the photo that is sent. */
export function photograph(video: HTMLVideoElement, shown: Size): Promise<Blob | null> {
  return draw(video, shown, sides.photo, 0.92);
}

/** The same part, small, for the face check. */
export function frame(video: HTMLVideoElement, shown: Size): Promise<Blob | null> {
  return draw(video, shown, sides.frame, 0.75);
}

function draw(video: HTMLVideoElement, shown: Size, longest: number, quality: number): Promise<Blob | null> {
  const source = { width: video.videoWidth, height: video.videoHeight };
  if (source.width === 0 || source.height === 0) return Promise.resolve(null);
  const part = crop(source, shown);
  const size = fitWithin(part, longest);
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  const context = canvas.getContext('2d');
  if (context === null) return Promise.resolve(null);
  context.drawImage(video, part.x, part.y, part.width, part.height, 0, 0, size.width, size.height);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/jpeg', quality));
}
