/** The photo as it will be sent: take it again once, or send it. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { Title } from '../parts/frame.tsx';
import { Turn } from '../parts/icons.tsx';
import type { View } from '../view.ts';

/** "Do you like it?" */
export function Check({ view }: { view: View }) {
  const { state, send, t } = view;
  return (
    <main class="camera check">
      <Title text={t('cam.check')} />
      <div class="preview">
        <Photo blob={state.photo} name={t('say.photo')} />
      </div>
      <div class="answers">
        {state.retaken ? null : (
          <Button action="retake" look="second" onTap={() => send({ type: 'retake_tapped' })}><Turn />{t('cam.again')}</Button>
        )}
        <Button action="send" onTap={() => send({ type: 'send_tapped' })}>{t('cam.send')}</Button>
      </div>
    </main>
  );
}

/** The picture lives as long as the screen; its address is given back with it. */
function Photo({ blob, name }: { blob: Blob | null; name: string }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (blob === null) return;
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return url === null ? null : <img class="photo" src={url} alt={name} draggable={false} />;
}
