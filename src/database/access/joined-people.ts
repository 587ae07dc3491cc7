/** What several people work or talk in, by its name. What one learns, likes or has earned (`user_courses`, `user_badges`) is no such thing. */
const SHARED =
  'project|team|workspace|org|organi[sz]ation|company|board|channel|room|chat|conversation|thread|group|household|family|account|tenant|space|repository|repo|club|circle'
const JOINS = new RegExp(`^user_(?:(?:to|on|in)_)?(${SHARED})$|^(${SHARED})_(?:(?:to|on)_)?(?:user|people|person)$`)

/** `UserToProject`, `users_on_teams`, `chat_user`: what a table that says nothing but who is in what puts people into. */
export function joinedByPeople(table: string): string | undefined {
  const words = table
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_')
    .map(singular)
  const found = JOINS.exec(words.join('_'))
  return found?.[1] ?? found?.[2]
}

/** Whether a table has the name of what people are put into. */
export const isNamed = (table: string, name: string): boolean => {
  const words = table.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
  return words.split('_').map(singular).join('_').endsWith(name)
}

const singular = (word: string): string => (/ies$/.test(word) ? word.replace(/ies$/, 'y') : word.replace(/s$/, ''))
