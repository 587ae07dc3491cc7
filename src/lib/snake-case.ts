/** The name that a column has where members are written in camel case: `paymentStatus` is `payment_status`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (ch) => `_${ch.toLowerCase()}`)

/** A name with its words apart, their letters as they are written: `paymentStatus` is `payment_Status`, `apiKEY` is `api_KEY`, `UserToProject` is `User_To_Project`. */
export const underscored = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
