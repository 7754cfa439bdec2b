/** Puts the theme on the document: the system's, or the one that the reader chose. */
import { useEffect } from 'preact/hooks';
import type { Theme } from './kept.ts';

const DARK = '(prefers-color-scheme: dark)';

/** Keeps `data-theme` right for as long as the page is open. */
export function useTheme(chosen: Theme): void {
  useEffect(() => {
    const system = window.matchMedia(DARK);
    const apply = () => {
      const dark = chosen === 'dark' || (chosen === 'auto' && system.matches);
      document.documentElement.dataset['theme'] = dark ? 'dark' : 'light';
    };
    apply();
    system.addEventListener('change', apply);
    return () => system.removeEventListener('change', apply);
  }, [chosen]);
}
