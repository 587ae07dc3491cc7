const COMPILED = /\.min\.[cm]?js$|\.bundle\.js$/i
const AVERAGE_LINE = 250
/** A remark may be of any length beside code that a person wrote; banners of minified files stand before code on the same line. */
const REMARK_LINE = /^\s*\/\/|^\s*\/\*(?![\s\S]*\*\/)/

/**
 * True for the output of bundlers and minifiers: no person wrote it, and its structure says nothing about the application.
 * Decided by the name and the text alone: facts are cached by content, so the folder must not matter.
 */
export function isBundled(text: string, path: string): boolean {
  if (COMPILED.test(path)) return true
  if (text.length < 10_000) return false
  let lines = 1
  let long = 0
  for (let i = text.indexOf('\n'), from = 0; ; from = i + 1, i = text.indexOf('\n', from)) {
    const length = (i === -1 ? text.length : i) - from
    // One embedded image or key is a long line in a file that a person wrote.
    if (length > 1000 && !REMARK_LINE.test(text.slice(from, from + 200))) long++
    if (i === -1) break
    lines++
    // Most files have this many lines long before their end.
    if (lines * AVERAGE_LINE >= text.length) return false
  }
  return long * 10 > lines
}
