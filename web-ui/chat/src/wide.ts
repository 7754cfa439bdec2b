/** Whether there is room for the phone and something beside it. */
import { useEffect, useState } from 'preact/hooks';

/** The same width as in the sheets. */
const WIDE = '(min-width: 900px)';

/** True from 900 px on; follows the window. */
export function useWide(): boolean {
  const [wide, setWide] = useState(() => window.matchMedia(WIDE).matches);
  useEffect(() => {
    const query = window.matchMedia(WIDE);
    const change = () => setWide(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return wide;
}
