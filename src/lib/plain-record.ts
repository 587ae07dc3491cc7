/** Without a prototype that has members: `toString` of a record is undefined. */
function Plain(): void {}
Plain.prototype = Object.create(null)

/**
 * An empty object that inherits nothing, for members of any name, `__proto__` among them. Unlike what `Object.create(null)` makes, it is no hash table
 * from the beginning: engines give such objects of the same members one shape, which takes a third of the memory and is read faster.
 */
export const plainRecord = <T>(): Record<string, T> => new (Plain as unknown as new () => Record<string, T>)()
