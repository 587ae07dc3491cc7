/** A name with its words apart, their letters as they are written: `paymentStatus` is `payment_Status`, `apiKEY` is `api_KEY`, `UserToProject` is `User_To_Project`. */
export const underscored = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')

/** The name that a column has where members are written in camel case: `paymentStatus` is `payment_status`, `userID` is `user_id`. */
export const snakeCase = (name: string): string => underscored(name).toLowerCase()

/** Whether a pattern written in snake case fits a name in it or in camel case, as Prisma leaves tables and columns: `stripeCustomerId`. */
export const says = (pattern: RegExp, name: string): boolean => pattern.test(snakeCase(name))
