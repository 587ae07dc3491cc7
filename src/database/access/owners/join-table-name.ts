import { snakeCase } from '../../../lib/snake-case.ts'

/** What several people work or talk in, by its name. What one learns, likes or has earned (`user_courses`, `user_badges`) is no such thing. */
const SHARED =
  'project|team|workspace|org|organi[sz]ation|company|board|channel|room|chat|conversation|thread|group|household|family|account|tenant|space|repository|repo|club|circle'
/** What people say to each other in private, and who may hear it: everybody may take part in an event. */
const TALK = 'conversation|thread|chat|chat_room|dm|direct_message|channel|room|inbox'
const JOINS = new RegExp(`^user_(?:(?:to|on|in)_)?(${SHARED})$|^(${SHARED})_(?:(?:to|on)_)?(?:user|people|person)$|^(${TALK})_(?:participant|member)$`)

/** `UserToProject`, `users_on_teams`, `chat_user`: what a table that says nothing but who is in what puts people into. */
export function joinedByPeople(table: string): string | undefined {
  const found = JOINS.exec(inSingular(table))
  return found?.[1] ?? found?.[2] ?? found?.[3]
}

/** Whether a table has the name of what people are put into. */
export const isNamed = (table: string, name: string): boolean => inSingular(table).endsWith(name)

/** The name of a table with each of its words in the singular: `UsersOnTeams` is `user_on_team`. */
const inSingular = (table: string): string => snakeCase(table).split('_').map(singular).join('_')

const singular = (word: string): string => (/ies$/.test(word) ? word.replace(/ies$/, 'y') : word.replace(/s$/, ''))
