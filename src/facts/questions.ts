import { QuestionsByFile } from '../lib/memo/collect-by-file.ts'
import type { JavaScriptFacts } from './javascript.ts'

/** Everything that is asked of each file of code by itself. */
export const codeQuestions = new QuestionsByFile<JavaScriptFacts>()

/** `collectByFile` for a question about code: it can be asked while other files are still read. */
export function collectByCodeFile<Answer>(ask: (path: string, js: JavaScriptFacts) => Answer | undefined) {
  return codeQuestions.collect(ask)
}
