/** The staff's page: one row a thing, what is wrong first, and the way to the guests when the tablet is ready. */
import { useState } from 'preact/hooks';
import { Button } from '../parts/controls.tsx';
import { Title } from '../parts/frame.tsx';
import { Turn } from '../parts/icons.tsx';
import type { View } from '../view.ts';
import { useChecks, type Checks } from './checks.ts';
import { checkRows, type Row } from './rows.ts';
import { LightRow, LanguageRow, ScreenRow } from './choices.tsx';

/** Set-up. */
export function Setup({ view }: { view: View }) {
  const { send, t, state } = view;
  const checks = useChecks(view);
  const [, redraw] = useState(0);
  const rows = checkRows(view, checks);
  const ready = isReady(checks);
  const again = (): void => redraw((count) => count + 1);
  return (
    <main class="setup">
      <Title text={t('setup.title')} />
      <div class="rows">
        {rows.filter((row) => row.state === 'bad').map((row) => <CheckRow key={row.id} row={row} />)}
        {rows.filter((row) => row.state !== 'bad').map((row) => <CheckRow key={row.id} row={row} />)}
        <LanguageRow view={view} onChange={again} />
        <LightRow view={view} onChange={again} />
        <ScreenRow view={view} full={checks.full} />
      </div>
      <div class="setup-foot">
        <Button action="reload" look="out" onTap={() => location.reload()}><Turn />{t('setup.reload')}</Button>
        {ready ? null : (
          <Button action="anyway" look="out" onTap={() => send({ type: 'setup_closed' })}>{t('setup.anyway')}</Button>
        )}
        <Button action="to-guests" off={!ready} describedBy="setup-why" onTap={() => send({ type: 'setup_closed' })}>
          {t('setup.go')}
        </Button>
        <p id="setup-why" class="setup-why" lang={state.language}>{ready ? '' : t('setup.why_off')}</p>
      </div>
    </main>
  );
}

/** Guests can come when the three things that a visit needs are good. */
function isReady(checks: Checks): boolean {
  return checks.camera.is === 'works' && checks.network.is === 'there' && checks.key === 'good';
}

function CheckRow({ row }: { row: Row }) {
  return (
    <div class="row" data-row={row.id} data-state={row.state}>
      <div>
        <h2>{row.name}</h2>
        <p>{row.value}</p>
      </div>
      <p class={`tag ${row.state}`}>{row.tag}</p>
    </div>
  );
}
