/** The same text, its first letter large: what begins a sentence, and names that are made from others. */
export const withCapital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
