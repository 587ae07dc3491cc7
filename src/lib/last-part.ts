/** The last part of a name with dots: `posts` of `public.posts`, `update` of `db.posts.update`, the name itself where it has none. */
export const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
