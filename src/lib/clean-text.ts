/** Control characters, escape sequences, and the marks that turn the direction of text around. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g

/** Text of a repository as one printable line of at most `max` characters. */
export function cleanLine(text: string, max = 2000): string {
  const cut = text.length > max * 2 ? text.slice(0, max * 2) : text
  const clean = cut.replace(/[\t\r\n]+/g, ' ').replace(UNPRINTABLE, '')
  return clean.length > max ? `${clean.slice(0, max - 1)}…` : clean
}
