import type { Route } from '../../../model/routes/routes.ts'
import { MODEL_SAYS } from '../binding/llm-output-source.ts'
import { roleCode } from '../remediation/code-conventions.ts'
import { boundQuery, filterCode, ownRows } from '../remediation/owner-filter-code.ts'
import { refusal } from '../remediation/refusal-response.ts'
import { OWN_METADATA, type OwnershipBreach } from '../shared/violation.ts'
import type { SaidOfBreach, WordsOfKinds } from './types.ts'

/** The fix names the role as one way among others. */
export const isOfSeveral = ({ text }: SaidOfBreach['fix']): boolean => text.startsWith('No column of ')

/** No column says whose a row is, so that no condition can: those who work with all of them have a role. */
const forWhomItIs = (route: Route, b: OwnershipBreach): SaidOfBreach['fix'] => ({
  text: `No column of ${b.table} says whose a row is. Where all who work here may see them, ask for their role before the query; otherwise load what the row belongs to first, and compare that with the caller.`,
  language: 'ts',
  code: roleCode(route, b.callerAs),
})

/**
 * What is said where rows of somebody else are read, changed or removed, where a new row gets an owner, tenant or parent of the request's choice, and
 * where the request decides about columns that are not its own to write.
 */
export const ROW_WORDS = {
  row({ route, b, who, place }) {
    if (b.around)
      return {
        title: 'The check is passed by when its look-up fails',
        message: `${b.around.path}:${b.around.line} asks whether the caller may, inside a try whose catch answers with an error and does not end the handler: after a look-up that failed ${place} ${b.verb} ${b.table} by ${b.by} all the same.`,
        attack: `Any signed-in user sends an id that the database refuses (with a null byte, or none of its type) where the look-up uses it, and the id of another user's row beside it: the answer is an error, and the handler ${b.verb} the row.`,
        fix: { text: 'End the handler in the catch.', language: 'ts', code: `} catch (error) {\n  ${refusal(route, 500)}\n}` },
      }
    if (b.house)
      return {
        title: 'A role in one place lets somebody act on rows of another',
        message: `The handler asks for a role (${b.role}), but ${place} ${b.verb} ${b.table} by ${b.by} with the service role or a direct connection, and nothing compares the ${b.house} of the row with the caller's. Other handlers do, for everybody who is not ${above(b)}.`,
        attack: b.takesOver
          ? `Anybody with the role ${b.role} sends the id of any account and a new ${b.takesOver}, and signs in as whom he likes, ${above(b)} included.`
          : `Anybody with the role ${b.role} sends the id of a row with another ${b.house} and the handler ${b.verb} it.`,
        fix: {
          text: `Load the row (or what it belongs to) first and compare its ${b.house} with the caller's, as the other handlers do.${b.takesOver ? ` Write named columns only, and ${b.takesOver} never from here.` : ''}`,
          language: 'ts',
          code: `if (${(b.above ?? []).map((r) => `user.role !== '${r}' && `).join('')}row.${b.house} !== user.${b.house}) {\n  ${refusal(route, 403)}\n}`,
        },
      }
    if (b.within)
      return {
        title: 'A role in one of them lets somebody act on rows of another',
        message: `The handler asks whether the caller has a role in what ${b.within} names, but ${place} ${b.verb} ${b.table} by ${b.by} with the service role or a direct connection, and nothing says that this row belongs to the same.`,
        attack: `Whoever has that role in one of them sends its id, and the id of a row that belongs to another: the handler ${b.verb} it.`,
        fix: { text: `Bind the query to what the role was asked for (${b.ownerColumn}) as well.`, language: 'ts', code: filterCode(b) },
      }
    if (b.brings && b.byPolicy)
      return {
        title: 'Rows come along that their policies keep back',
        message: `The handler knows who calls${who}, but ${place} ${b.what} with the service role and answers with them. The policies of ${b.brings} show these rows to whom they are for alone, and do not apply to this client; nothing here asks for it.`,
        attack: `Any signed-in user sends the id of any row of ${b.table} and gets the ${b.brings} of it, without what the policies ask for.`,
        fix: {
          text: `Read ${b.brings} through a client with the caller's own token, so that their policies decide; or ask before the query for what they ask for, and answer 403 where it is missing.`,
        },
      }
    if (b.brings)
      return {
        title: "What comes along with the row is somebody else's",
        message: `The handler knows who calls${who}, but ${place} loads ${b.table} by ${b.by} with the service role or a direct connection and answers with the ${b.brings} that comes along; nothing compares its ${b.ownerColumn} with the caller.`,
        attack: `Any signed-in user counts the ids up and reads the ${b.brings} of everybody.`,
        fix: {
          text: `Refuse when the ${b.ownerColumn} of what came along is not the caller, or leave ${b.brings} out of the query.`,
          language: 'ts',
          code: `if ([row.${b.brings}].flat().some((own) => own && own.${b.ownerColumn} !== ${b.callerAs})) {\n  ${refusal(route, 404)}\n}`,
        },
      }
    return b.ownerless
      ? {
          title: 'Rows without an owner pass the ownership check',
          message: `${place} ${b.verb} ${b.table} by ${b.by} with the service role. The comparison with the caller is skipped when the row has no owner, so such rows pass for everybody.`,
          attack: `Any signed-in user sends the id of somebody else's row that has no ${b.ownerColumn}, and the handler acts on it.`,
          fix: {
            text: 'Refuse when the owner is missing or another: compare without the extra condition.',
            language: 'ts',
            code: `if (row.${b.ownerColumn} !== ${b.callerAs}) {\n  ${refusal(route, 404)}\n}`,
          },
        }
      : {
          title: 'The row is not tied to the caller',
          message: `The handler ${b.role ? `asks whether the caller is some ${b.role}` : 'knows who calls'}${who}, but ${place} ${b.verb} ${b.table} by ${b.by} with the service role or a direct connection, and nothing compares the row's owner with the caller. Row level security does not apply to this client.`,
          attack:
            b.by === MODEL_SAYS
              ? `Any signed-in user writes a prompt that makes the model answer with the id of another user's row, and the handler ${b.verb} it.`
              : `Any ${b.role ?? 'signed-in user'} sends the id of another ${b.role ?? 'user'}'s row and the handler ${b.verb} it.`,
          fix:
            b.ownerUnknown && !b.ownedBy
              ? forWhomItIs(route, b)
              : {
                  text: b.ownedBy
                    ? `Load the row of ${b.ownedBy} that it belongs to first, and refuse when its ${b.ownerColumn} is not the caller.`
                    : `Bind the query to the caller as well (column ${b.ownerColumn}), or use the caller's own client so that row level security applies.`,
                  language: 'ts',
                  code: b.ownedBy ? `if (parent.${b.ownerColumn} !== ${b.callerAs}) {\n  ${refusal(route, 404)}\n}` : filterCode(b),
                  ...(b.ownedBy ? {} : boundQuery(route, b)),
                },
        }
  },
  rls({ route, b, place }) {
    return {
      title: 'The handler relies on row level security that does not hold',
      message: `${place} ${b.verb} ${b.table} by ${b.by} and leaves it to row level security to refuse other users' rows. Checks 1-4 found that ${b.table} does not refuse them.`,
      attack: `Any signed-in user sends the id of another user's row and the handler ${b.verb} it.`,
      fix: b.indirect
        ? {
            text: `Repair the policy of ${b.table} (see checks 1-4). ${b.ownerColumn} holds no user's id: look up whose row it names before this one is touched, or require the role of those who do this for others.`,
            language: 'ts',
            code: roleCode(route, b.callerAs),
          }
        : { text: `Repair the policy of ${b.table} (see checks 1-4), and bind the query to the caller as well.`, language: 'ts', code: filterCode(b) },
    }
  },
  'every-row'({ b, place }) {
    return {
      title: 'The statement has no condition',
      message: `${place} ${b.verb} every row of ${b.table}: the statement has no condition, and it runs with the service role or a direct connection, to which row level security does not apply.`,
      attack: `Any signed-in user who does this for the own account does it to everybody's rows of ${b.table}.`,
      fix: { text: `Bind the statement to the caller (column ${b.ownerColumn}).`, language: 'ts', code: ownRows(b) },
    }
  },
  listing({ route, b, who, place }) {
    if (b.house)
      return {
        title: 'Whoever stands in no place gets the rows of all',
        message: `${place} narrows ${b.table} to the ${b.house} of the caller only where he has one, and ${b.what} with the service role or a direct connection to who has none. The column may be empty in the row of an account.`,
        attack: `Anybody whose account has no ${b.house} yet reads the rows of ${b.table} of every place.`,
        fix: {
          text: `Refuse who is not ${above(b)} and has no ${b.house}, before the query.`,
          language: 'ts',
          code: `if (${(b.above ?? []).map((r) => `user.role !== '${r}' && `).join('')}!user.${b.house}) {\n  ${refusal(route, 403)}\n}`,
        },
      }
    if (b.accounts)
      return {
        title: 'Accounts of others are answered with',
        message: `${place} loads from ${b.table} whoever a row of ${b.accounts.namedBy} names, with all columns, with the service role or a direct connection, and the answer holds what was loaded: ${b.accounts.kept.join(', ')} among it. The handler asks only whether somebody is signed in${who}.`,
        attack: `Any signed-in user calls it and reads ${b.accounts.kept.join(', ')} of the people whom ${b.accounts.namedBy} names.`,
        fix: {
          text: `Answer with the columns that others are to see${b.accounts.shown.length ? ` (${b.accounts.shown.join(', ')})` : ''} instead of the whole row: name them where ${b.table} is read, or where the answer is put together.`,
        },
      }
    if (b.apart)
      return {
        title: "Every signed-in user gets everybody's rows",
        message: `${place} ${b.what}, with the service role or a direct connection, to which row level security does not apply. Other handlers show people their own rows of ${b.table} only; this one asks only whether somebody is signed in${who}.`,
        attack: `Any signed-in user calls it and reads what belongs to other users in ${b.table}.`,
        fix: {
          text: `Filter by the caller (column ${b.ownerColumn}), or require an admin role when the list is meant for administrators.`,
          language: 'ts',
          code: ownRows(b),
        },
      }
    return {
      title: "Every signed-in user gets everybody's rows",
      message: `${place} ${b.what} with the service role or a direct connection. The handler asks only whether somebody is signed in${who}.`,
      attack: `Any signed-in user reads the personal data of all users in ${b.table}.`,
      fix: {
        text: 'Filter by the caller, or require an admin role when the list is meant for administrators.',
        language: 'ts',
        code: roleCode(route, b.callerAs),
      },
    }
  },
  'forged-owner'({ b, who, place }) {
    return {
      title: 'The owner of the row is taken from the request',
      message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with the service role or a direct connection. Nothing compares it with the caller${who}.`,
      attack: `Any signed-in user sends another user's id as ${b.ownerColumn} and writes rows in that user's name.`,
      fix: {
        text: 'Take the owner from the verified session, never from the request; where acting for others is meant, require an admin role first.',
        language: 'ts',
        code: `{ ...values, ${b.ownerColumn}: ${b.callerAs} }`,
      },
    }
  },
  'forged-tenant'({ b, who, place }) {
    return {
      title: 'The tenant of the new row is taken from the request',
      message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with the service role or a direct connection, and nothing asks whether the caller belongs to that tenant${who}.`,
      attack: `Any signed-in user sends another tenant's id as ${b.ownerColumn} and has a row in its ${b.table}${/member|permission|role|invit|access|grant/i.test(b.table ?? '') ? ', which lets in whom he likes' : ''}.`,
      fix: {
        text: `Write the ${b.ownerColumn} of the caller, as the verified session or the caller's own row says it, and ask for the role that may do this before the row is written. Where somebody belongs to several, look for the caller's own membership of the one that the request names, and refuse when there is none or its role may not.`,
      },
    }
  },
  joins({ route, b, who, place }) {
    return {
      title: 'Whoever names a tenant becomes a member of it',
      message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by} and the caller as the member, with the service role or a direct connection, and nothing asks for an invitation${who}.`,
      attack: `Any signed-in user sends another tenant's id as ${b.ownerColumn}, is in it, and reads and changes what its members may.`,
      fix: {
        text: 'Look for an open invitation to the address of the caller first, and take the tenant and the role from it.',
        language: 'ts',
        code: `const { data: invitation } = await supabase.from('invitations').select('*').eq('token', token).eq('email', user.email).is('accepted_at', null).maybeSingle()\nif (!invitation) {\n  ${refusal(route, 403)}\n}\n// write ${b.ownerColumn}: invitation.${b.ownerColumn}`,
      },
    }
  },
  parent({ route, b, who, place }) {
    if (b.house)
      return {
        title: "A new row can be put under another place's",
        message: `The handler asks for a role (${b.role}), but ${place} ${b.what}, with the service role or a direct connection, and nothing compares the ${b.house} of the row of ${b.ownedBy} that it belongs to with the caller's. Other handlers do, for everybody who is not ${above(b)}.`,
        attack: `Anybody with the role ${b.role} sends the id of a row of ${b.ownedBy} with another ${b.house} and adds to it.`,
        fix: {
          text: `Load the row of ${b.ownedBy} first and compare its ${b.house} with the caller's.`,
          language: 'ts',
          code: `if (${(b.above ?? []).map((r) => `user.role !== '${r}' && `).join('')}parent?.${b.house} !== user.${b.house}) {\n  ${refusal(route, 403)}\n}`,
        },
      }
    if (b.told)
      return {
        title: "A row of one's own is put under somebody else's, and tells of it",
        message: `${place} ${b.what}, with the service role or a direct connection, and nothing asks whether the row of ${b.ownedBy} that it belongs to is the caller's${who}. Where people are shown their rows of ${b.table}, what that row says comes along.`,
        attack: `Any signed-in user sends the id of another user's row of ${b.ownedBy}, and reads what it says beside the own row; its owner finds a stranger's among his.`,
        fix: {
          text: `Load the row of ${b.ownedBy} first, and refuse when its ${b.ownerColumn} is not the caller.`,
          language: 'ts',
          code: `if (parent?.${b.ownerColumn} !== ${b.callerAs ?? 'user.id'}) {\n  ${refusal(route, 404)}\n}`,
        },
      }
    return {
      title: "A new row can be put under somebody else's",
      message: `${place} ${b.what}, with the service role or a direct connection, and nothing asks whether the row of ${b.ownedBy} that it belongs to is the caller's${who}.${b.byPolicy ? ` The policies of ${b.table} ask for it, and do not apply to this client.` : ''}`,
      attack: `Any signed-in user sends the id of another user's row of ${b.ownedBy} and adds to what its owner takes for his own.`,
      fix:
        b.byPolicy && !b.ownerColumn
          ? {
              text: `Insert the row through a client with the caller's own token, so that the policies of ${b.table} decide as they do for the page; or load the row of ${b.ownedBy} and what it belongs to first, and answer 404 where that is not the caller's.`,
            }
          : b.ownerColumn
            ? {
                text: `Load the row of ${b.ownedBy} first, and refuse when its ${b.ownerColumn} is not the caller.`,
                language: 'ts',
                code: `if (parent?.${b.ownerColumn} !== user.id) {\n  ${refusal(route, 404)}\n}`,
              }
            : {
                text: `Look for the caller among the people of that row of ${b.ownedBy} first, and refuse when he is none of them.`,
                language: 'ts',
                code: `if (!participants.includes(user.id)) {\n  ${refusal(route, 404)}\n}`,
              },
    }
  },
  bought({ route, b, place }) {
    return {
      title: 'One purchase opens what belongs to others',
      message: `The handler asks for the caller's row of ${b.ownedBy} by ${b.within}, but ${place} loads ${b.table} by ${b.by} alone, with the service role or a direct connection, and nothing says that the two belong together.`,
      attack: `Whoever has bought one of them, a cheap one or a free one, sends its id beside the id of a part of another and gets what he has not paid for.`,
      fix: {
        text: `Ask for the purchase by the ${b.ownerColumn} of the part that was loaded, never by the one that the request sends beside it.`,
        language: 'ts',
        code: `if (part.${b.ownerColumn} !== ${b.ownerColumn}) { // part: the row that ${b.by} names\n  ${refusal(route, 404)}\n}`,
      },
    }
  },
  'mass-assignment'({ route, b, place }) {
    return {
      title: 'The whole request body is written to the row',
      message: `${place} ${b.verb} ${b.table} with ${b.by} as it came, with the service role or a direct connection: the caller chooses every column${b.bound ? ' that the code does not set' : ''}${b.ownerColumn ? `, ${b.ownerColumn} included` : ''}.`,
      attack: b.role
        ? `Anybody with the role ${b.role} adds ${b.ownerColumn} to the JSON for an account that he looks after, his own included, and it has what only those above him may give.`
        : b.paid === 'house'
          ? `Any signed-in user adds ${b.ownerColumn} to the JSON and sets what is the application's to say.`
          : b.paid
            ? `Any signed-in user adds ${b.ownerColumn} to the JSON, and the row says that it was paid.`
            : b.ownerColumn && b.severity !== 'Critical'
              ? `Any signed-in user adds ${b.ownerColumn} to the JSON, and the row belongs to whom it names.`
              : `Any signed-in user adds ${b.ownerColumn ?? 'a protected column'} to the JSON and sets it.`,
      fix: {
        text: `Take the columns that pages send out of ${route.kind === 'action' ? 'the argument' : `the body (${requestBodyExpression(route)})`} one by one and write those${b.ownerColumn ? `, ${b.ownerColumn} not among them` : ''}, or parse it with a schema that lists them and drops what is more.`,
      },
    }
  },
  power({ route, b, who, place }) {
    if (b.open)
      return {
        title: 'Whoever signs up chooses what grants rights',
        message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with rights that no policy or column privilege limits. This is the sign-up: nobody has to be anybody to call it.`,
        attack: `Anybody on the internet registers with the ${b.ownerColumn} that the application asks its administrators or paying users for, and has it from the first request.`,
        fix: {
          text: 'Set it on the server to what everybody starts with; more is given afterwards, by an administrator or when a payment is confirmed.',
          language: 'ts',
          code: `{ ...values, ${b.ownerColumn}: START } // the ${b.ownerColumn} of every new account, never the request's`,
        },
      }
    if (b.by === OWN_METADATA)
      return {
        title: 'The caller sets what grants rights',
        message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with the service role or a direct connection, which no policy or column privilege limits. What is in there everybody writes about themselves: at sign-up, and at any time later.`,
        attack: `Somebody signs up with the platform's public key and \`options: { data: { ${b.ownerColumn}: … } }\`, with the ${b.ownerColumn} that he likes, and has it.`,
        fix: {
          text: `Give every new account the ${b.ownerColumn} that everybody starts with. What is more is set by an administrator or an invitation that the server made, or kept in app_metadata, which only the service role writes. The same goes for whatever else of the row comes from there and says what an account may reach, as its tenant does: who was invited gets both from the invitation to the confirmed address.`,
          language: 'ts',
          code: `{ ...values, ${b.ownerColumn}: START } // the ${b.ownerColumn} of every new account, nothing of user_metadata`,
        },
      }
    if (b.plan)
      return {
        title: 'A plan is given to whoever names it',
        message: `${place} ${b.verb} ${b.table} for the caller, active at once, with ${b.ownerColumn} from ${b.by}. Plans have prices, and nothing on the way asks for one or for a payment.`,
        attack: 'Any signed-in user names the dearest plan and has it, without having paid.',
        fix: {
          text: `Let ${b.table} be begun by what says that the money came (the webhook of the processor, or whoever enters the payment), and here, if at all, only for a plan whose price in its own row is zero.`,
        },
      }
    if (b.paid)
      return {
        title: 'The caller says that it was paid',
        message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with rights that no policy or column privilege limits. The webhook of the payment processor sets the same column; here the handler asks only whether the row is the own one${who}.`,
        attack: `Any signed-in user sends for his own row of ${b.table} the ${b.ownerColumn} that it has once the money is there, and has not paid.`,
        fix: {
          text: `Leave ${b.ownerColumn} to the webhook; what the caller may do (cancel) is a value that stands in the code.`,
          language: 'ts',
          code: `{ ${b.ownerColumn}: 'cancelled' }`,
        },
      }
    return {
      title: 'The caller sets what grants rights',
      message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with the service role or a direct connection, which no policy or column privilege limits. The handler asks only ${b.own ? 'whether the row is the own one' : 'whether somebody is signed in'}${who}.`,
      attack: `Any signed-in user sends the ${b.ownerColumn} that he likes and has it.`,
      fix: {
        text: 'Leave the column out; it is set where the payment or the invitation is confirmed, or behind an admin role.',
        language: 'ts',
        code: roleCode(route, b.callerAs),
      },
    }
  },
  'any-table'({ route, b, who, place }) {
    return {
      title: 'The request names the table',
      message: `${place} ${b.what}, with the service role, to which row level security does not apply. The handler asks only whether somebody is signed in${who}.`,
      attack: `Any signed-in user sends the name of any table as ${b.by} and the handler ${b.verb} it, whosever its rows are.`,
      fix: {
        text: "Write one handler for each thing that may be done, with the table in the code and the caller's id in the query; or use the caller's own client, so that row level security applies.",
        language: 'ts',
        code: `const TABLES = ['posts', 'comments']\nif (!TABLES.includes(table)) {\n  ${refusal(route, 404)}\n}\n// and a client that acts with the caller's token`,
      },
    }
  },
  state({ route, b, place }) {
    return {
      title: 'The user is taken from an OAuth state that nothing verifies',
      message: `${place} ${b.verb} ${b.table} of the user whose id is read out of ${b.by}. The state is neither signed nor compared with a cookie or the session, so whoever calls the address chooses the user.`,
      attack:
        "An attacker finishes the OAuth flow with another user's id in `state`: what the provider says of the attacker's account is written into that user's row. With his own id in it he lets a victim finish the flow, whose account then belongs to his row.",
      fix: stateFix(route),
    }
  },
  editable({ b, place }) {
    if (b.found)
      return {
        title: 'Whom something is given to is found by what users write themselves',
        message: `${place} ${b.verb} ${b.table} with the service role for the account whose ${b.by} fits what came in. Users change their own user_metadata with one call of the client library, and nothing keeps two from having the same.`,
        attack: `Anybody with an account writes somebody else's value into ${b.by} and gets what is meant for them.`,
        fix: {
          text: 'Keep what people are found by in a table, in a column with a unique constraint that only the server writes, and look it up there.',
          language: 'ts',
          code: `const { data: profile } = await supabase.from('profiles').select('id').eq('${b.by?.split('.').at(-1) ?? 'username'}', value).maybeSingle()`,
        },
      }
    return {
      title: 'The row is chosen by a claim that the user edits',
      message: b.own
        ? `${place} ${b.verb} ${b.table}, and all that ties the row to the caller is ${b.by}: users change their own user_metadata with one call of the client library, and nothing in the repository shows row level security on ${b.table} that would refuse the rest.`
        : `${place} ${b.verb} ${b.table} by ${b.by} with the service role. Users change their own user_metadata with one call of the client library.`,
      attack: `Any signed-in user sets ${b.by} to another value and ${b.verb === 'inserts into' ? 'puts rows into what is not his' : b.verb === 'loads' ? 'gets those rows' : `${b.verb} those rows`}.`,
      fix: {
        text: 'Use app_metadata, which only the server writes, or look the value up in a table by the caller’s id.',
        language: 'ts',
        code: 'user.app_metadata.org_id',
      },
    }
  },
} satisfies WordsOfKinds

/** Providers open a function without the session of whoever began, and functions have no cookies of the application. */
function stateFix(route: Route): SaidOfBreach['fix'] {
  if (route.framework === 'Supabase Edge Functions')
    return {
      text: 'Let the provider lead back to a page of the application, which calls the function with the session of whoever is signed in: the function takes the user from that session alone. Let the start of the flow keep a random `state` for that user in a table with row level security and no policy, and use it up in the callback.',
      language: 'ts',
      code: [
        "const token = req.headers.get('Authorization')?.replace(/^Bearer /, '') ?? ''",
        'const { data: { user } } = await supabase.auth.getUser(token)',
        `if (!user) ${refusal(route, 401)}`,
        "// oauth_states (state, user_id): the start of the flow inserts crypto.randomUUID() for the user; the client has the server's key",
        "const { data: begun } = await supabase.from('oauth_states').delete().eq('state', state).eq('user_id', user.id).select('state')",
        `if (!begun?.length) ${refusal(route, 401)}`,
        '// write the row of user.id',
      ].join('\n'),
    }
  const cookie =
    route.framework === 'Express' || route.answers === 'res'
      ? 'req.cookies?.oauth_state'
      : route.framework === 'Next.js'
        ? "(await cookies()).get('oauth_state')?.value"
        : "cookies.get('oauth_state')?.value"
  return {
    text: 'Take the user from the session in the callback. Put a random value in `state`, keep it in an httpOnly cookie and compare the two.',
    language: 'ts',
    code: `const user = await currentUser() // stands for the check of who is signed in\nif (!user || !state || state !== ${cookie}) ${refusal(route, 401)}\n// write the row of user.id`,
  }
}

/** The roles that are over all places, for people. */
const above = (b: OwnershipBreach): string => (b.above ?? []).join(' or ')

/** The body of a request, as the framework hands it to the handler. */
export function requestBodyExpression({ framework, answers }: Route): string {
  if (/^(?:Express|Fastify|NestJS|Koa)/.test(framework) || answers === 'res') return framework === 'Koa' ? 'ctx.request.body' : 'req.body'
  return answers === 'status-object' ? "JSON.parse(event.body ?? '{}')" : framework === 'Hono' ? 'await c.req.json()' : 'await request.json()'
}
