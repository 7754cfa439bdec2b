/** Asks the server by the same rule as the upload whether the face in the outline would do. */
import { useEffect, useState } from 'preact/hooks';
import { frame } from '../effects/camera.ts';
import { firstHint, nextHint, type Hint } from '../machine/hint.ts';
import type { View } from '../view.ts';

/** A frame goes out this often, one at a time. */
const everyMs = 400;

/** The hint under the outline, from the answers of `/face`. */
export function useFaceHint(view: View, video: { current: HTMLVideoElement | null }, live: boolean): Hint {
  const [hint, setHint] = useState<Hint>(() => firstHint(Date.now()));
  const token = view.state.session?.token ?? null;
  useEffect(() => {
    if (!live || token === null) return;
    let asking = false;
    setHint(firstHint(Date.now()));
    async function ask(element: HTMLVideoElement, session: string): Promise<void> {
      asking = true;
      const picture = await frame(element, { width: element.clientWidth, height: element.clientHeight });
      const answer = picture === null ? null : await view.api.face(session, picture);
      asking = false;
      const seen = answer !== null && answer.is === 'seen' ? { ok: answer.ok, hint: answer.hint } : null;
      setHint((before) => nextHint(before, seen, Date.now()));
    }
    const timer = setInterval(() => {
      if (video.current !== null && !asking) void ask(video.current, token);
      else setHint((before) => nextHint(before, null, Date.now()));
    }, everyMs);
    return () => clearInterval(timer);
  }, [live, token]);
  return hint;
}
