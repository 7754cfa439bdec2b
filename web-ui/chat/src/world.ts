/** Who and which bots there are; asked again until there is an answer, and whenever a choice is to be made. */
import { useEffect, useState } from 'preact/hooks';
import * as api from './api.ts';
import { pauseMs } from './live.ts';
import type { Bot, Person } from './types.ts';

/** What the page knows of the world; `null` before the first answer. */
export interface World {
  people: Person[] | null;
  bots: Bot[] | null;
  failed: boolean;
}

/** The world, and how to ask for it again. */
export function useWorld(): World & { reload: () => void; adopt: (person: Person) => void } {
  const [world, setWorld] = useState<World>({ people: null, bots: null, failed: false });
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let stopped = false;
    let timer: number | undefined;
    const ask = async (failures: number) => {
      try {
        const [people, bots] = await Promise.all([api.people(), api.bots()]);
        if (!stopped) setWorld({ people, bots, failed: false });
      } catch {
        if (stopped) return;
        setWorld((before) => ({ ...before, failed: true }));
        timer = window.setTimeout(() => void ask(failures + 1), pauseMs(failures));
      }
    };
    void ask(0);
    return () => {
      stopped = true;
      window.clearTimeout(timer);
    };
  }, [asked]);
  return {
    ...world,
    reload: () => setAsked((count) => count + 1),
    // A new guest is known at once, before the list has been asked for again.
    adopt: (person) =>
      setWorld((before) => ({
        ...before,
        people: [...(before.people ?? []).filter((one) => one.id !== person.id), person],
      })),
  };
}
