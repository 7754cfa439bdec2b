/** The idle question: still here? Without an answer the start comes back. */
import { useEffect, useRef } from 'preact/hooks';
import { Button } from './controls.tsx';
import { Turn } from './icons.tsx';
import type { View } from '../view.ts';

/** The question over the guest's screen. */
export function IdleQuestion({ view }: { view: View }) {
  const { state, send, t } = view;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: true }), []);
  const seconds = Math.max(0, Math.ceil(((state.askingUntil ?? 0) - state.now) / 1000));
  return (
    <div class="veil" data-dialog="idle">
      <div class="dialog" role="alertdialog" aria-modal="true" aria-labelledby="idle-title">
        <h2 id="idle-title" ref={title} tabIndex={-1}>{t('idle.title')}</h2>
        <p role="timer">{t('idle.sub', { seconds })}</p>
        <Button action="stay" onTap={() => send({ type: 'stay_tapped' })}>{t('idle.go')}</Button>
        <Button action="restart" look="out" onTap={() => send({ type: 'cancel_tapped' })}><Turn />{t('restart')}</Button>
      </div>
    </div>
  );
}
