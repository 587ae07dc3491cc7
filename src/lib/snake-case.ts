/** The name that a column has where members are written in camel case: `paymentStatus` is `payment_status`. */
export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (ch) => `_${ch.toLowerCase()}`)
