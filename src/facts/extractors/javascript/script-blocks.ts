/** The script part of a component file: the whole text with everything else blanked, so that lines and offsets stay true. */
export interface ScriptText {
  readonly text: string
  /** Dialect of the scripts. */
  readonly tsx: boolean
  /** Lines of Astro's `<script>` elements, which run in the browser: [first, last]. */
  readonly browserLines: readonly (readonly [number, number])[]
}

const MAX_BLOCKS = 50

/** Blanks a Vue, Svelte or Astro file down to its scripts. */
export function scriptText(text: string, extension: 'vue' | 'svelte' | 'astro'): ScriptText {
  const keep: [number, number][] = []
  const browser: [number, number][] = []
  let jsx = false
  let from = 0
  if (extension === 'astro') {
    const frontmatter = astroFrontmatter(text)
    if (frontmatter) {
      keep.push(frontmatter)
      from = frontmatter[1]
    }
  }
  for (const block of scriptElements(text, from)) {
    if (/\bsrc\s*=|type\s*=\s*["'](?!module|text\/(?:java|type)script)/.test(block.attributes)) continue
    if (/lang\s*=\s*["'](?:tsx|jsx)/.test(block.attributes)) jsx = true
    keep.push([block.start, block.end])
    if (extension === 'astro') browser.push([lineAt(text, block.start), lineAt(text, block.end)])
  }
  return { text: blankOutside(text, keep), tsx: jsx, browserLines: browser }
}

function astroFrontmatter(text: string): [number, number] | undefined {
  const open = /^\uFEFF?\s*---/.exec(text)
  if (!open) return undefined
  const start = open[0].length
  const close = /\n[ \t]*---/g
  close.lastIndex = start
  const found = close.exec(text)
  return found ? [start, found.index] : undefined
}

function scriptElements(text: string, from: number): { attributes: string; start: number; end: number }[] {
  const blocks: { attributes: string; start: number; end: number }[] = []
  const lower = text.toLowerCase()
  let at = from
  while (blocks.length < MAX_BLOCKS) {
    const open = lower.indexOf('<script', at)
    if (open === -1) break
    const next = text.charCodeAt(open + 7)
    const comment = lower.lastIndexOf('<!--', open)
    const commentEnd = comment === -1 ? -1 : lower.indexOf('-->', comment)
    if (comment >= from && (commentEnd === -1 || commentEnd > open)) {
      if (commentEnd === -1) break
      at = commentEnd
      continue
    }
    // `<script-loader>` is another element.
    if (next !== 62 && next !== 32 && next !== 10 && next !== 13 && next !== 9 && next !== 47) {
      at = open + 7
      continue
    }
    const tagEnd = endOfTag(text, open + 7)
    if (tagEnd === -1) break
    if (text[tagEnd - 1] === '/') {
      at = tagEnd + 1
      continue
    }
    const close = lower.indexOf('</script', tagEnd)
    const end = close === -1 ? text.length : close
    blocks.push({ attributes: text.slice(open + 7, tagEnd), start: tagEnd + 1, end })
    at = end + 8
  }
  return blocks
}

/** The `>` that ends a start tag; quotes may hold others (`generic="T extends Record<string, string>"`). */
function endOfTag(text: string, from: number): number {
  let quote = ''
  for (let i = from; i < text.length; i++) {
    const ch = text[i] as string
    if (quote) {
      if (ch === quote) quote = ''
    } else if (ch === '"' || ch === "'") quote = ch
    else if (ch === '>') return i
  }
  return -1
}

function blankOutside(text: string, keep: readonly [number, number][]): string {
  let out = ''
  let at = 0
  for (const [start, end] of keep) {
    // A separator, so that two blocks never run into one statement.
    const gap = text.slice(at, start).replace(/[^\r\n]/g, ' ')
    out += at > 0 && gap.startsWith(' ') ? `;${gap.slice(1)}` : gap
    out += text.slice(start, end)
    at = end
  }
  return out + text.slice(at).replace(/[^\r\n]/g, ' ')
}

function lineAt(text: string, position: number): number {
  let line = 1
  for (let i = text.indexOf('\n'); i !== -1 && i < position; i = text.indexOf('\n', i + 1)) line++
  return line
}
