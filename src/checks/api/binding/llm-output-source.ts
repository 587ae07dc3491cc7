import { partsOf } from '../../../model/behaviour/domain/contains.ts'
import type { Behaviour, Value } from '../../../model/behaviour/types.ts'

/** Calls whose answer is text or a choice; vectors, pictures and transcripts name no rows. */
const LLM_COMPLETION_CALL =
  /(?:completions|responses|messages)\.(?:create|parse|stream)|createChatCompletion|generate(?:Text|Object|Content)|stream(?:Text|Object)|sendMessage|\.invoke|\.chat|chatCompletion|runTools/i
const MODEL_ADDRESS = /openai\.com|anthropic\.com|generativelanguage|ai\.gateway\.lovable|openrouter\.ai|groq\.com|mistral\.ai|deepseek\.com|x\.ai\//i

/** How a finding calls such a value: the caller wrote the prompt, so the caller chooses what the model answers. */
export const MODEL_SAYS = 'what the model answers'

/** Whether a step asks a model something that the caller wrote. */
export function isModelAnswer(value: Value, behaviour: Behaviour): boolean {
  if (value.v !== 'result') return false
  const e = behaviour.steps[value.step]?.effect
  if (e?.kind !== 'ai' && e?.kind !== 'http') return false
  const asks =
    e.kind === 'ai'
      ? LLM_COMPLETION_CALL.test(e.name)
      : e.args.some((a) => says(a, (x) => x.v === 'const' && typeof x.value === 'string' && MODEL_ADDRESS.test(x.value)))
  return asks && e.args.some((a) => says(a, (x) => x.v === 'request' && x.part !== 'ip' && x.part !== 'cookie' && x.part !== 'header'))
}

/** Whether a model's answer, and nothing else of the request, chooses a value. */
export const chosenByModel = (value: Value, behaviour: Behaviour): boolean =>
  says(value, (x) => isModelAnswer(x, behaviour)) && !says(value, (x) => x.v === 'request')

const says = (value: Value, is: (x: Value) => boolean, depth = 0): boolean => is(value) || (depth < 10 && partsOf(value).some((p) => says(p, is, depth + 1)))
