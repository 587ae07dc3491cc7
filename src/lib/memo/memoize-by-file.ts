/**
 * Makes a pure function of one file remember its answers for as long as the facts of the file live: they are kept between audits, so that only new
 * content is looked at. What it returns must not be changed by anybody.
 */
export function rememberByFile<Facts extends object, Answer>(compute: (path: string, facts: Facts) => Answer): (path: string, facts: Facts) => Answer {
  // Equal files at two places share their facts.
  const known = new WeakMap<Facts, Map<string, Answer>>()
  return (path, facts) => {
    let answers = known.get(facts)
    if (!answers) {
      answers = new Map()
      known.set(facts, answers)
    }
    if (answers.has(path)) return answers.get(path) as Answer
    const answer = compute(path, facts)
    answers.set(path, answer)
    return answer
  }
}
