const SQL_WORD = /[A-Za-z0-9_$\u0080-\uffff]+/g

/** What text that is not read could do, by the words that it would take, all of them in one text. */
const CAPABILITIES = {
  dropTable: [/\bdrop\b/i, /\b(?:table|schema|owned|cascade)\b/i],
  dropView: [/\bdrop\b/i, /\b(?:view|table|schema|owned|cascade)\b/i],
  dropPolicy: [/\bdrop\b/i, /\b(?:policy|table|schema|owned|cascade)\b/i],
  dropFunction: [/\bdrop\b/i, /\b(?:function|procedure|routine|schema|owned|cascade)\b/i],
  rename: [/\brename\b|\bset\s+schema\b/i],
  createTable: [/\bcreate\b|\binto\b|\bimport\b/i, /\btable\b|\binto\b|\bimport\b/i],
  policy: [/\bpolicy\b/i, /\b(?:create|alter)\b/i],
  rls: [/\blevel\s+security\b|relrowsecurity/i],
  grants: [/\bgrant\b|\brevoke\b|\bprivileges\b|\bdrop\s+owned\b|\breassign\b|\bowner\s+to\b/i],
  settings: [/search_path|\bset\s+(?:local\s+|session\s+)?role\b|\bsession\s+authorization\b|session_authorization/i],
  invoker: [/\bsecurity_invoker\b|\bsecurity\s+invoker\b/i],
  function: [/\b(?:create|alter)\b/i, /\b(?:function|procedure|routine)\b/i],
} as const

export type Capability = keyof typeof CAPABILITIES

/** Text that builds what it executes: the names in it need not be written out. */
const SQL_STRING_BUILDER = /\bexecute\b(?!\s+(?:function|procedure|on)\b)/i
/** `'drop ' || 'table'` */
const SQL_CONCATENATION = /'\s{0,50}\|\|\s{0,50}'/g

/** Texts that could do anything, by what their words allow. Linear in their length. */
export class WordGroups {
  private readonly words = new Map<Capability, Set<string>>()
  private readonly dynamic = new Set<Capability>()

  constructor(texts: readonly string[]) {
    for (const written of texts) {
      const text = written.replace(SQL_CONCATENATION, '')
      for (const [capability, patterns] of Object.entries(CAPABILITIES) as [Capability, readonly RegExp[]][]) {
        if (!patterns.every((p) => p.test(text))) continue
        const known = this.words.get(capability) ?? new Set()
        for (const [word] of text.matchAll(SQL_WORD)) known.add(word.toLowerCase())
        this.words.set(capability, known)
        if (SQL_STRING_BUILDER.test(text)) this.dynamic.add(capability)
      }
    }
  }

  /** Whether some text has the words for it. */
  can(capability: Capability): boolean {
    return this.words.has(capability)
  }

  /** Whether it could do so to an object: it names it, or builds what it executes. */
  canTo(capability: Capability, name: string): boolean {
    const known = this.words.get(capability)
    if (!known) return false
    return this.dynamic.has(capability) || (name.toLowerCase().match(SQL_WORD) ?? []).every((w) => known.has(w))
  }
}
