/** A name with its words apart, their letters as they are written: `paymentStatus` is `payment_Status`, `apiKEY` is `api_KEY`, `UserToProject` is `User_To_Project`. */
export const underscored = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')

/** How many names are kept, and up to which length. */
const MAX_KEPT = 20_000
const MAX_LENGTH = 64
/** The few names of an application are asked about hundreds of thousands of times. */
const kept = new Map<string, string>()

/** The name that a column has where members are written in camel case: `paymentStatus` is `payment_status`, `userID` is `user_id`. */
export function snakeCase(name: string): string {
  const known = kept.get(name)
  if (known !== undefined) return known
  const made = underscored(name).toLowerCase()
  if (name.length > MAX_LENGTH) return made
  if (kept.size === MAX_KEPT) kept.clear()
  kept.set(name, made)
  return made
}

/** Whether a pattern written in snake case fits a name in it or in camel case, as Prisma leaves tables and columns: `stripeCustomerId`. */
export const says = (pattern: RegExp, name: string): boolean => pattern.test(snakeCase(name))
