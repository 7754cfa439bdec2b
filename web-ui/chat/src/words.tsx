/** The words of the phone's language, handed down to every component. */
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type Language, type Texts, texts } from './texts.ts';

/** The language and its words. */
export interface Words {
  language: Language;
  t: Texts;
}

const WordsContext = createContext<Words>({ language: 'en', t: texts('en') });

/** Sets the language for what is inside; the document's `lang` is set by the app. */
export const WordsProvider = WordsContext.Provider;

/** The words for the component that asks. */
export function useWords(): Words {
  return useContext(WordsContext);
}
