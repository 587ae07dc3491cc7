/**
 * The text that a member of a package's enum stands for: `UserRole.ADMIN` of the client that Prisma makes of the schema is called what the schema calls it,
 * `EventName.SubscriptionPastDue` of Paddle is `subscription.past_due`. Undefined for everything else that packages export.
 */
export function enumMember(pkg: string, name: string, member: string): string | undefined {
  if (pkg === '@prisma/client') return /^(?!Prisma)[A-Z]/.test(name) ? member : undefined
  if (pkg === '@paddle/paddle-node-sdk' && name === 'EventName') {
    const [about, ...what] = member.split(/(?=[A-Z])/).map((word) => word.toLowerCase())
    return what.length ? `${about}.${what.join('_')}` : undefined
  }
  return undefined
}
