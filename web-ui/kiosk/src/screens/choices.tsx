/** The rows of the set-up page where staff choose: language at start, light in the hall, full screen. */
import type { ComponentChildren } from 'preact';
import { Button, LanguageSwitch } from '../parts/controls.tsx';
import type { View } from '../view.ts';

interface ChoiceProps {
  view: View;
  onChange: () => void;
}

function ChoiceRow({ id, name, note, children }: { id: string; name: string; note: string; children: ComponentChildren }) {
  return (
    <div class="row" data-row={id}>
      <div>
        <h2>{name}</h2>
        <p>{note}</p>
      </div>
      {children}
    </div>
  );
}

/** The language that the next guest finds. */
export function LanguageRow({ view, onChange }: ChoiceProps) {
  const { t, memory, send } = view;
  return (
    <ChoiceRow id="language" name={t('setup.language')} note={t('setup.language_note')}>
      <LanguageSwitch
        chosen={memory.language()}
        name={t('setup.language')}
        onChoose={(language) => {
          memory.setLanguage(language);
          send({ type: 'home_language_set', language });
          onChange();
        }}
      />
    </ChoiceRow>
  );
}

/** Bright or dark hall. */
export function LightRow({ view, onChange }: ChoiceProps) {
  const { t, memory } = view;
  const venue = memory.venue();
  return (
    <ChoiceRow id="light" name={t('setup.light')} note={t('setup.light_note')}>
      <div class="switch" role="group" aria-label={t('setup.light')}>
        {(['bright', 'dark'] as const).map((light) => (
          <button
            key={light}
            type="button"
            data-action={`light-${light}`}
            aria-pressed={venue === light}
            onClick={() => {
              memory.setVenue(light);
              onChange();
            }}
          >
            {t(`setup.${light}`)}
          </button>
        ))}
      </div>
    </ChoiceRow>
  );
}

/** Full screen, which a browser grants only at a tap. */
export function ScreenRow({ view, full }: { view: View; full: boolean }) {
  const { t } = view;
  return (
    <ChoiceRow id="full" name={t('setup.full')} note={t(full ? 'setup.full_on' : 'setup.full_off')}>
      {full ? (
        <p class="tag good">{t('setup.on')}</p>
      ) : (
        <Button action="full" onTap={() => void document.documentElement.requestFullscreen?.().catch(() => undefined)}>
          {t('setup.full_go')}
        </Button>
      )}
    </ChoiceRow>
  );
}
