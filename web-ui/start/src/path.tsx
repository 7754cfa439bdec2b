/** The picture of what goes where: four figures inside the frame of one computer, with what passes between them. */
import { Arrow, Figure, Lock } from './drawings.tsx';
import type { Demo } from './demo.ts';
import type { Texts } from './texts.ts';

/** The diagram. A reader that does not see it hears one sentence instead. */
export function Path({ demo, t }: { demo: Demo | null; t: Texts }) {
  return (
    <section class="path" aria-labelledby="path-title">
      <h2 id="path-title">{t.path}</h2>
      <div class="computer">
        <p class="computer-name" aria-hidden="true">
          {t.computer}
        </p>
        <div class="steps" role="img" aria-label={t.pathSentence}>
          <Step of="tablet" name={t.tablet} line={t.tabletLine} />
          <Between there={t.photo} back={t.place} />
          <Step of="server" name={t.server} line={t.serverLine} />
          <Between there={t.pack} back={t.updates} />
          <Step of="telegram" name={t.telegram} line={t.telegramLine} />
          <Between there={t.link} back={t.consent} />
          <Step of="phone" name={t.phone} line={t.phoneLine} />
        </div>
        <p class="promise">
          <Lock />
          <span>{t.local}</span>
        </p>
      </div>
      {demo !== null && (
        <p class="about">
          {demo.dataDir !== '' && (
            <span>
              {t.folder} <code>{demo.dataDir}</code>
            </span>
          )}
          {demo.version !== '' && (
            <span>
              {t.version} {demo.version}
            </span>
          )}
        </p>
      )}
    </section>
  );
}

function Step({ of, name, line }: { of: Parameters<typeof Figure>[0]['of']; name: string; line: string }) {
  return (
    <div class="step">
      <Figure of={of} />
      <b>{name}</b>
      <span>{line}</span>
    </div>
  );
}

function Between({ there, back }: { there: string; back: string }) {
  return (
    <div class="between">
      <span class="there">
        <span>{there}</span>
        <Arrow />
      </span>
      <span class="back">
        <Arrow />
        <span>{back}</span>
      </span>
    </div>
  );
}
