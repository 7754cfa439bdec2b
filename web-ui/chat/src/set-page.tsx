/** A set's address opened in a tab that is nobody's phone: the set alone, with the way to a chat. */
import { SetGrid, useSet, useSetWords } from './set.tsx';
import { useWords } from './words.tsx';

/** The set, without a phone beside it. */
export function SetPage({ name, toChat }: { name: string; toChat: () => void }) {
  const { t } = useWords();
  const opened = useSet(name);
  const { title, count } = useSetWords(opened);
  return (
    <main class="set-page" data-screen="set">
      <header class="side-head">
        <div>
          <h1>{title}</h1>
          <p>{count}</p>
        </div>
      </header>
      <div class="set-field">
        <SetGrid opened={opened} send={null} />
      </div>
      <p class="set-loose">{t.setLoose}</p>
      <button type="button" class="main" onClick={toChat}>
        {t.toChat}
      </button>
    </main>
  );
}
