/** Addresses that belong to bots and platforms, not to a person who could sign in. */
export function isMachineAuthor(email: string): boolean {
  return (
    !email.includes('@') ||
    /noreply|no-reply|\[bot\]|\bbot@|@(bolt\.new|lovable\.dev|gptengineer\.app|v0\.dev|cursor\.com|replit\.com|users\.noreply\.github\.com|localhost|example\.(com|org)|github\.com|anthropic\.com|vercel\.com)$/i.test(
      email,
    )
  )
}
