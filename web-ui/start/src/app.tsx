/** The start page of the demo: doors, the picture of what goes where, and the switch of languages. */
import { useEffect, useState } from 'preact/hooks';
import { type Demo, demoOf } from './demo.ts';
import { Doors } from './doors.tsx';
import { Mark } from './drawings.tsx';
import { Path } from './path.tsx';
import { LANGUAGES, type Language, TEXTS, type Texts, languageOf } from './texts.ts';

const LANGUAGE_KEY = 'start.language';
const REQUEST_MS_MAX = 5_000;
const PAUSE_MS = 2_000;

/** The whole page. */
export function App() {
  const [language, setLanguage] = useLanguage();
  const { demo, failed } = useDemo();
  const t = TEXTS[language];
  useEffect(() => {
    document.documentElement.lang = language;
    document.title = t.page;
  }, [language]);
  return (
    <div class="page">
      <header class="top">
        <p class="brand">
          <Mark />
          {t.demo}
        </p>
        <Switch language={language} set={setLanguage} t={t} />
      </header>
      <main>
        <h1>{t.title}</h1>
        <p class="lead">{t.lead}</p>
        <p class="waiting" role="status" hidden={!failed}>
          {failed && t.waiting}
        </p>
        <Doors demo={demo} t={t} />
        <Path demo={demo} t={t} />
      </main>
    </div>
  );
}

function Switch({ language, set, t }: { language: Language; set: (language: Language) => void; t: Texts }) {
  return (
    <div class="switch" role="group" aria-label={t.switch}>
      {LANGUAGES.map((one) => (
        <button key={one} type="button" lang={one} aria-pressed={one === language} onClick={() => set(one)}>
          {TEXTS[one].short}
        </button>
      ))}
    </div>
  );
}

/** The chosen language stays in the browser; without a choice it is the browser's own. */
function useLanguage(): [Language, (language: Language) => void] {
  const [language, setLanguage] = useState<Language>(() => languageOf(kept() ?? navigator.language));
  const choose = (chosen: Language) => {
    setLanguage(chosen);
    try {
      window.localStorage.setItem(LANGUAGE_KEY, chosen);
    } catch {
      // A browser that keeps nothing still shows the chosen language now.
    }
  };
  return [language, choose];
}

function kept(): string | null {
  try {
    return window.localStorage.getItem(LANGUAGE_KEY);
  } catch {
    return null;
  }
}

/** Asks the program for its addresses until it answers. */
function useDemo(): { demo: Demo | null; failed: boolean } {
  const [demo, setDemo] = useState<Demo | null>(null);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let stopped = false;
    let timer: number | undefined;
    const ask = async () => {
      try {
        const response = await fetch('/demo.json', { signal: AbortSignal.timeout(REQUEST_MS_MAX) });
        if (!response.ok) throw new Error(`status ${response.status}`);
        const answer = demoOf(await response.json());
        if (stopped) return;
        setDemo(answer);
        setFailed(false);
      } catch {
        if (stopped) return;
        setFailed(true);
        timer = window.setTimeout(() => void ask(), PAUSE_MS);
      }
    };
    void ask();
    return () => {
      stopped = true;
      window.clearTimeout(timer);
    };
  }, []);
  return { demo, failed };
}
