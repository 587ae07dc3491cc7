/** What says when something is taken and what is, and what every row has beside it. */
const SCHEDULE =
  /^(?:id|date|day|time|hour|status|(?:start|end|from|until)s?(?:_?(?:at|time|date|hour|minute)s?)?|slot(?:_?(?:id|date|time|start|end))?|duration(?:_?\w+)?|(?:scheduled|booking|booked|appointment|reservation)_?(?:at|date|time|for)|time_?zone|capacity|hours|(?:room|table|seat|desk|court|field|unit|resource|service|car|vehicle|bike|property|listing|space|spot|staff|barber|stylist|doctor|therapist|provider|practitioner)_?id|(?:created|updated)_?at)$/i
/** Of a schedule, what makes it one: every row has an id, a status and the time it was made. */
const TIME_SLOT = /^(?!(?:id|status|(?:created|updated)_?at)$)/i

/** Whether columns say when something is taken and nothing of who took it. */
export const saysOnlyWhen = (columns: readonly string[]): boolean => columns.some((c) => TIME_SLOT.test(c)) && columns.every((c) => SCHEDULE.test(c))
