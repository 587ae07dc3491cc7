/**
 * A parameter in the path of a route in which a name may stand as people write it, with a dot in it. Yes: `[site]`, `[...file]`; no: `[id]`, `[orderId]`,
 * `[slug]`, `[locale]`, which the application makes itself.
 */
export const FREE_PARAMETER = /\[(?:\.{3})?(?!(?:locale|lang|lng|language|slug|uuid|year|page|id|\w*(?:_id|Id|Slug|Uuid))\])\w+\]/
