/** The outfits as large cards; a tap chooses and goes on. */
import { useEffect, useState } from 'preact/hooks';
import { Button, Cancel, Dots } from '../parts/controls.tsx';
import { Title } from '../parts/frame.tsx';
import { Sticker } from '../parts/sticker.tsx';
import { Back, Next } from '../parts/icons.tsx';
import { stickerUrl } from '../stickers.ts';
import type { Template } from '../machine/model.ts';
import type { Language } from '../../../shared/texts/index.ts';
import type { View } from '../view.ts';

/** More outfits than this go to a next page. */
const pageMax = 8;
const stepMs = 2_000;

/** The choice. */
export function Outfits({ view }: { view: View }) {
  const { state, t } = view;
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(state.templates.length / pageMax));
  const shown = state.templates.slice(page * pageMax, (page + 1) * pageMax);
  const turn = (by: number): void => {
    view.send({ type: 'touched' });
    setPage((page + by + pages) % pages);
  };
  return (
    <main class="outfits">
      <div class="outfits-title">
        <Title text={t('outfits.title')} />
        <p class="lead">{t('outfits.sub')}</p>
      </div>
      <Cards view={view} templates={shown} first={page * pageMax} />
      <div class="way-out"><Cancel view={view} /></div>
      {pages === 1 ? null : (
        <div class="pages">
          <Button action="page-back" look="second" name={t('page.back')} onTap={() => turn(-1)}><Back /></Button>
          <Button action="page-next" look="second" name={t('page.next')} onTap={() => turn(1)}><Next /></Button>
        </div>
      )}
    </main>
  );
}

function Cards({ view, templates, first }: { view: View; templates: Template[]; first: number }) {
  const [beat, setBeat] = useState(0);
  useEffect(() => {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timer = setInterval(() => setBeat((count) => count + 1), stepMs);
    return () => clearInterval(timer);
  }, []);
  const choosing = view.state.screen.name === 'outfits' ? view.state.screen.choosing : null;
  const chosen = choosing ?? view.state.session?.template_id ?? null;
  return (
    <div class="cards" data-count={templates.length}>
      {templates.map((template, index) => (
        <Card
          key={template.id}
          template={template}
          language={view.state.language}
          title={template.titles[view.state.language]}
          tint={(first + index) % 6}
          picture={pictureOf(template, index, beat)}
          chosen={template.id === chosen}
          busy={template.id === choosing}
          onTap={() => view.send({ type: 'outfit_tapped', id: template.id })}
        />
      ))}
    </div>
  );
}

/** Cards change one after another, so that the screen never changes as a whole. */
function pictureOf(template: Template, index: number, beat: number): number {
  if (template.stickers <= 1) return 0;
  return (index + Math.floor((beat + index) / 2)) % template.stickers;
}

interface CardProps {
  template: Template;
  language: Language;
  title: string;
  tint: number;
  picture: number;
  chosen: boolean;
  busy: boolean;
  onTap: () => void;
}

function Card({ template, language, title, tint, picture, chosen, busy, onTap }: CardProps) {
  return (
    <button
      type="button"
      class="card"
      data-outfit={template.id}
      data-action="outfit"
      aria-pressed={chosen}
      aria-busy={busy}
      onClick={onTap}
    >
      <span class={`card-picture tint-${tint}`}>
        <Sticker url={stickerUrl(template, picture, language)} />
      </span>
      <span class="card-title">
        {title}
        {busy ? <Dots /> : null}
      </span>
    </button>
  );
}
