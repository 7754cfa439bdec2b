/** What can be pressed: the main button, the second one, the way out, the language switch. */
import type { ComponentChildren } from 'preact';
import { languages, say, type Language } from '../../../shared/texts/index.ts';
import type { View } from '../view.ts';
import { Cross } from './icons.tsx';

interface ButtonProps {
  action: string;
  onTap: () => void;
  children: ComponentChildren;
  busy?: boolean;
  off?: boolean;
  look?: 'main' | 'second' | 'out';
  describedBy?: string;
  /** What a screen reader says where the button shows a drawing only. */
  name?: string;
}

/** A button of the page. While busy or off a tap does nothing, and the state is told to screen readers. */
export function Button({ action, onTap, children, busy = false, off = false, look = 'main', describedBy, name }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${look}`}
      data-action={action}
      aria-busy={busy}
      aria-disabled={off || busy}
      aria-describedby={describedBy}
      aria-label={name}
      onClick={() => {
        if (!off && !busy) onTap();
      }}
    >
      {children}
      {busy ? <Dots /> : null}
    </button>
  );
}

/** Three dots: it was heard, the answer is on its way. */
export function Dots() {
  return (
    <span class="dots" aria-hidden="true">
      <i /><i /><i />
    </span>
  );
}

interface SwitchProps {
  chosen: Language;
  name: string;
  onChoose: (language: Language) => void;
}

/** Three words, never flags. */
export function LanguageSwitch({ chosen, name, onChoose }: SwitchProps) {
  return (
    <div class="switch" role="group" aria-label={name}>
      {languages.map((language) => (
        <button
          key={language}
          type="button"
          lang={language}
          data-action={`language-${language}`}
          aria-pressed={language === chosen}
          onClick={() => onChoose(language)}
        >
          {say(language, 'lang')}
        </button>
      ))}
    </div>
  );
}

/** The guest's way out, bottom left. */
export function Cancel({ view }: { view: View }) {
  return (
    <Button action="cancel" look="out" onTap={() => view.send({ type: 'cancel_tapped' })}>
      <Cross />
      {view.t('cancel')}
    </Button>
  );
}
