import { alsoEqual } from '../../lib/rewrite-javascript.ts'
import type { Route } from '../../model/routes/routes.ts'
import type { Fix } from '../define-check.ts'
import { isInAdministratorsCookie } from './administrators-sessions.ts'
import { adminExample, besideWords, type Manners, roleCode } from './manners.ts'
import { MODEL_SAYS } from './model-answers.ts'
import type { OwnershipBreach } from './ownership-breach.ts'
import { refusal } from './refusal.ts'
import { unboundProofWords } from './unbound-proof-words.ts'

/** A server action gets values, not a body. */
export function ofArguments(b: OwnershipBreach): OwnershipBreach {
  const words = (text: string) => text.replace('the request body', 'an argument that the browser passes').replace('body `', 'argument `')
  return { ...b, what: words(b.what), ...(b.by ? { by: words(b.by) } : {}) }
}

/** A cookie of their own keeps users out only where nothing of theirs opens under its name. */
const RENAMED =
  ' The cookie is named for them, but neither a seal nor a signature says for which cookie it was made: what users are given with the same key passes under this name as well.'

/** What a finding of check 17 says, by kind of breach. */
export function ownershipWords(route: Route, b: OwnershipBreach, how: Manners): { title: string; message: string; attack: string; fix: Fix } {
  const who = route.guard?.how ? ` (${route.guard.how})` : ''
  const renamed = isInAdministratorsCookie(route.guard?.how)
  const place = `${b.at.path}:${b.at.line}`
  switch (b.kind) {
    case 'row':
      if (b.around)
        return {
          title: 'The check is passed by when its look-up fails',
          message: `${b.around.path}:${b.around.line} asks whether the caller may, inside a try whose catch answers with an error and does not end the handler: after a look-up that failed ${place} ${b.verb} ${b.table} by ${b.by} all the same.`,
          attack: `Any signed-in user sends an id that the database refuses (with a null byte, or none of its type) where the look-up uses it, and the id of another user's row beside it: the answer is an error, and the handler ${b.verb} the row.`,
          fix: { text: 'End the handler in the catch.', language: 'ts', code: `} catch (error) {\n  ${refusal(route, 500)}\n}` },
        }
      if (b.within)
        return {
          title: 'A role in one of them lets somebody act on rows of another',
          message: `The handler asks whether the caller has a role in what ${b.within} names, but ${place} ${b.verb} ${b.table} by ${b.by} with the service role or a direct connection, and nothing says that this row belongs to the same.`,
          attack: `Whoever has that role in one of them sends its id, and the id of a row that belongs to another: the handler ${b.verb} it.`,
          fix: { text: `Bind the query to what the role was asked for (${b.ownerColumn}) as well.`, language: 'ts', code: filterCode(b) },
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
              code: `if (row.${b.ownerColumn} !== ${b.callerAs}) {\n  return new Response(null, { status: 404 })\n}`,
            },
          }
        : {
            title: 'The row is not tied to the caller',
            message: `The handler ${b.role ? `asks whether the caller is some ${b.role}` : 'knows who calls'}${who}, but ${place} ${b.verb} ${b.table} by ${b.by} with the service role or a direct connection, and nothing compares the row's owner with the caller. Row level security does not apply to this client.`,
            attack:
              b.by === MODEL_SAYS
                ? `Any signed-in user writes a prompt that makes the model answer with the id of another user's row, and the handler ${b.verb} it.`
                : `Any ${b.role ?? 'signed-in user'} sends the id of another ${b.role ?? 'user'}'s row and the handler ${b.verb} it.`,
            fix: {
              text: b.ownedBy
                ? `Load the row of ${b.ownedBy} that it belongs to first, and refuse when its ${b.ownerColumn} is not the caller.`
                : `Bind the query to the caller as well (column ${b.ownerColumn}), or use the caller's own client so that row level security applies.`,
              language: 'ts',
              code: b.ownedBy ? `if (parent.${b.ownerColumn} !== ${b.callerAs}) {\n  ${refusal(route, 404)}\n}` : filterCode(b),
              ...(b.ownedBy ? {} : boundQuery(route, b)),
            },
          }
    case 'rls':
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
    case 'forged-owner':
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
    case 'forged-tenant':
      return {
        title: 'The tenant of the new row is taken from the request',
        message: `${place} ${b.verb} ${b.table} with ${b.ownerColumn} from ${b.by}, with the service role or a direct connection, and nothing asks whether the caller belongs to that tenant${who}.`,
        attack: `Any signed-in user sends another tenant's id as ${b.ownerColumn} and has a row in its ${b.table}${/member|permission|role|invit|access|grant/i.test(b.table ?? '') ? ', which lets in whom he likes' : ''}.`,
        fix: {
          text: "Look for the caller's own membership of that tenant (and its role) before the row is written.",
          language: 'ts',
          code: `const { data: member } = await supabase.from('members').select('role').eq('${b.ownerColumn}', ${b.ownerColumn}).eq('user_id', user.id).maybeSingle()\nif (member?.role !== 'owner') {\n  return new Response(null, { status: 403 })\n}`,
        },
      }
    case 'any-table':
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
    case 'joins':
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
    case 'parent':
      return {
        title: "A new row can be put under somebody else's",
        message: `${place} ${b.what}, with the service role or a direct connection, and nothing asks whether the row of ${b.ownedBy} that it belongs to is the caller's${who}.`,
        attack: `Any signed-in user sends the id of another user's row of ${b.ownedBy} and adds to what its owner takes for his own.`,
        fix: b.ownerColumn
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
    case 'mass-assignment':
      return {
        title: 'The whole request body is written to the row',
        message: `${place} ${b.verb} ${b.table} with ${b.by} as it came, with the service role or a direct connection: the caller chooses every column${b.bound ? ' that the code does not set' : ''}${b.ownerColumn ? `, ${b.ownerColumn} included` : ''}.`,
        attack:
          b.paid === 'house'
            ? `Any signed-in user adds ${b.ownerColumn} to the JSON and sets what is the application's to say.`
            : b.paid
              ? `Any signed-in user adds ${b.ownerColumn} to the JSON, and the row says that it was paid.`
              : b.ownerColumn && b.severity !== 'Critical'
                ? `Any signed-in user adds ${b.ownerColumn} to the JSON, and the row belongs to whom it names.`
                : `Any signed-in user adds ${b.ownerColumn ?? 'a protected column'} to the JSON and sets it.`,
        fix: {
          text: 'Name the columns that may be written, or parse the body with a schema that lists them.',
          language: 'ts',
          code: `const { title, description } = ${route.kind === 'action' ? 'input // the argument' : bodyOf(route)}\n// write only { title, description }`,
        },
      }
    case 'power':
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
    case 'state':
      return {
        title: 'The user is taken from an OAuth state that nothing verifies',
        message: `${place} ${b.verb} ${b.table} of the user whose id is read out of ${b.by}. The state is neither signed nor compared with a cookie or the session, so whoever calls the address chooses the user.`,
        attack:
          "An attacker finishes the OAuth flow with another user's id in `state` and stores a token in that user's row, or has the victim's token stored in his own.",
        fix: {
          text: 'Take the user from the session in the callback. Put a random value in `state`, keep it in an httpOnly cookie and compare the two.',
          language: 'ts',
          code: `const { data: { user } } = await supabase.auth.getUser()\nif (!user || state !== cookies.get('oauth_state')?.value) {\n  return new Response(null, { status: 401 })\n}\n// write the row of user.id`,
        },
      }
    case 'editable':
      return {
        title: 'The row is chosen by a claim that the user edits',
        message: `${place} ${b.verb} ${b.table} by ${b.by} with the service role. Users change their own user_metadata with one call of the client library.`,
        attack: `Any signed-in user sets ${b.by} to another value and gets those rows.`,
        fix: {
          text: 'Use app_metadata, which only the server writes, or look the value up in a table by the caller’s id.',
          language: 'ts',
          code: 'user.app_metadata.org_id',
        },
      }
    case 'admin':
      if (b.colleague)
        return {
          title: 'Every colleague takes over accounts',
          message: `${place} runs ${b.what} on the account that ${b.by} names. The handler asks whether both belong to the same business${who}; the roles that it names are kept from some accounts, and whoever has none of them gets through.`,
          attack: `Any member of the business, however few rights they have, sends a colleague's id (${b.by}) and ${/deleteUser/.test(b.verb ?? '') ? 'that account is gone' : 'a password of their own, and signs in as them'}.`,
          fix: {
            text: 'Name the roles that may do it, and refuse everybody else; the own account apart.',
            language: 'ts',
            code: `if (caller.role !== 'owner' && ${
              b.by
                ?.match(/`([\w.]+)`/)?.[1]
                ?.split('.')
                .pop() ?? 'id'
            } !== ${b.callerAs ?? 'user.id'}) {\n  ${refusal(route, 403)}\n}`,
          },
        }
      return {
        title: 'An admin operation is open to every signed-in user',
        message: b.area
          ? `By its path ${route.route} is for administrators, and ${place} ${b.what}. The handler asks only whether somebody is signed in${who}, not whether they are an administrator.${renamed ? RENAMED : ''}${besideWords(how.beside)}`
          : `${place} ${b.table ? `${b.what} with the service role or a direct connection` : `runs ${b.what}`}. The handler asks only whether somebody is signed in${who}, not whether they are an administrator.`,
        attack: b.area
          ? `Any signed-in user sends the request that the page of the administrators sends${renamed ? ', with the own session under the name of that cookie' : ''}${b.by ? `, with whatever ${b.by} they choose` : ''}.`
          : `Any signed-in user calls it${b.by ? ` with another user's id (${b.by})` : ''}.`,
        fix: {
          text: `Check a role that only the server can set before the operation.${b.area ? adminExample(how) : ''}`,
          language: 'ts',
          code: roleCode(route, b.callerAs),
        },
      }
    case 'job':
      return {
        title: 'Every signed-in user starts the job',
        message: `${b.alike ? `${b.alike.replace(/^route /, '')} does the same work for the scheduler, behind a secret` : `By its path ${route.route} is for the scheduler`}, and ${place} ${b.what} with the service role or a direct connection. The handler asks only whether somebody is signed in${who}.`,
        attack: 'Anyone with an account starts it at any time and as often as they like, and it works on the rows of all users.',
        fix: {
          text: 'Ask for a secret that only the scheduler sends; an empty one refuses too.',
          language: 'ts',
          code: `const secret = process.env.CRON_SECRET\nif (!secret || request.headers.get('authorization') !== \`Bearer \${secret}\`) {\n  ${refusal(route, 401)}\n}`,
        },
      }
    case 'every-row':
      return {
        title: 'The statement has no condition',
        message: `${place} ${b.verb} every row of ${b.table}: the statement has no condition, and it runs with the service role or a direct connection, to which row level security does not apply.`,
        attack: `Any signed-in user who does this for the own account does it to everybody's rows of ${b.table}.`,
        fix: { text: `Bind the statement to the caller (column ${b.ownerColumn}).`, language: 'ts', code: ownRows(b) },
      }
    case 'listing':
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
    case 'file':
      if (b.table === undefined && b.verb === 'read')
        return {
          title: 'The request names the file that is read',
          message: `${place} ${b.what}. Nothing takes the folders out of that name, and nothing says which files are meant.`,
          attack: 'Any signed-in user sends ../ and the name of a file with settings or keys, and reads it.',
          fix: {
            text: 'Look the file up by an id in a list of those that are meant, or take the base name and look in one folder.',
            language: 'ts',
            code: 'const name = path.basename(input)\nconst bytes = await readFile(path.join(publicDir, name))',
          },
        }
      if (b.table === undefined && b.verb === 'write')
        return {
          title: 'The request names the file that is written',
          message: `${place} ${b.what}. Nothing takes the folders out of that name, so it leads anywhere that the server may write, and to files that are there already.`,
          attack: 'Any signed-in user sends ../../ and a name, and replaces a file of the application or what somebody else has uploaded.',
          fix: {
            text: 'Make up the name on the server, and keep at most the extension.',
            language: 'ts',
            code: 'const name = `${crypto.randomUUID()}${path.extname(path.basename(file.name))}`\nawait writeFile(path.join(uploadDir, name), bytes)',
          },
        }
      if (b.table === undefined)
        return {
          title: 'The request names the file that is deleted',
          message: `${place} ${b.what} with the key of the server, whosever it is. Nothing ties the file to the caller: that another statement deletes the caller's row only says nothing of it.`,
          attack: "Any signed-in user sends the address of another user's file, which pages show, and it is gone.",
          fix: {
            text: 'Look up the row with the id of the caller and delete the file that the row names.',
            language: 'ts',
            code: `const { data: file } = await supabase.from('files').select('url').eq('id', id).eq('user_id', ${b.callerAs ?? 'user.id'}).single()\nif (!file) return new Response(null, { status: 404 })\nawait del(file.url)`,
          },
        }
      return {
        title: 'A value of the request becomes a storage path',
        message: `${place} ${b.what} with the service role, which no storage policy limits. Nothing ties the path to the caller.`,
        attack: "Any signed-in user sends the path of another user's file.",
        fix: {
          text: "Put the caller's id in front of the path on the server, or use the caller's own client so that storage policies apply.",
          language: 'ts',
          code: `const path = \`\${${b.callerAs ?? 'user.id'}}/\${fileName}\``,
        },
      }
    case 'function':
      return /(?:^|_)(?:user|owner|profile|account|customer|member|target)_?id$|^p?_?(?:user|uid|userid)$/i.test(b.ownerColumn ?? '')
        ? {
            title: 'The user whom a database function acts on is taken from the request',
            message: `${place} ${b.what} with the service role; nothing compares it with the caller${who}.`,
            attack: `Any signed-in user sends another user's id as ${b.ownerColumn}.`,
            fix: { text: 'Pass the id of the verified session.', language: 'ts', code: `{ ${b.ownerColumn}: ${b.callerAs} }` },
          }
        : {
            title: 'The row that a database function acts on is taken from the request',
            message: `${place} ${b.what} with the service role; nothing asks whether that row is the caller's${who}, and under this key auth.uid() is empty in the function.`,
            attack: `Any signed-in user sends the id of somebody else's row as ${b.ownerColumn}.`,
            fix: {
              text: "Call the function with the caller's own client and tie the row in it, or look the row up among the caller's own before.",
              language: 'sql',
              code: `-- in ${b.table}\nwhere id = ${b.ownerColumn} and user_id = auth.uid()`,
            },
          }
    case 'payment':
      return {
        title: 'The payment object is chosen by the request',
        message: `${place} calls ${b.verb} on ${b.by}; nothing compares its customer with the caller${who}.`,
        attack: `Any signed-in user who learns another customer's id changes that customer's payments.`,
        fix: {
          text: "Load the caller's own customer or subscription id from the database and use that.",
          language: 'ts',
          code: ownCustomer(how.library, b),
        },
      }
    case 'processors-own':
      return {
        title: 'The payment object is chosen by the request',
        message: `${place} calls ${b.verb} on ${b.by} with the application's key; nothing looks it up among the caller's own before${who}.`,
        attack: `Any signed-in user who learns the id of somebody else's payment or subscription cancels or changes it.`,
        fix: {
          text: 'Look the id up among the rows of the caller before the processor is asked, and answer 404 when it is not there.',
          language: 'ts',
          code: `const { data: own } = await supabase.from('payments').select('id').eq('id', id).eq('user_id', ${b.callerAs ?? 'user.id'}).maybeSingle()\nif (!own) return new Response(null, { status: 404 })`,
        },
      }
    case 'account-wide':
      return {
        title: 'Every signed-in user sees the account at the payment processor',
        message: `${place} ${b.what} with the application's key. The handler asks only whether somebody is signed in${who}.`,
        attack: 'Any signed-in user calls it and reads what the application takes in and whom it pays.',
        fix: { text: 'Require an admin role.', language: 'ts', code: roleCode(route, b.callerAs) },
      }
    case 'payers-row':
      return {
        title: 'Somebody else’s customer at the payment processor',
        message: `${place} calls ${b.verb} with the customer of the row of ${b.table} that ${b.by} names. Its policies show such rows to others than their owner, and nothing compares the owner with the caller${who}.`,
        attack: `Any signed-in user sends the id of a row that others may see and acts at the payment processor as whoever pays for it.`,
        fix: {
          text: `Refuse when the row is not the caller's (column ${b.ownerColumn}); that it can be read says nothing of that.`,
          language: 'ts',
          code: `.eq('${b.ownerColumn}', ${b.callerAs})`,
        },
      }
    case 'claimed-payment':
      return {
        title: 'A payment that the request names is booked on the caller',
        message: b.settled
          ? `${place} ${b.verb} ${b.table} as soon as the payment processor says that the payment which ${b.by} names is paid. Nothing relates that payment to the caller${who}, or to the row: not its customer, not its metadata, not an id that was stored when it was begun.`
          : `${place} ${b.verb} ${b.table} with what the payment processor says about ${b.by}. Nothing compares its customer or its metadata with the caller${who}.`,
        attack: `Any signed-in user sends the id of a payment that somebody else made, or that he has used for another account, and has what was paid for.`,
        fix: {
          text: 'Put the user into the metadata when the checkout is made, and refuse what names another one; or leave the booking to the webhook.',
          language: 'ts',
          code: 'if (session.metadata?.user_id !== user.id) {\n  return new Response(null, { status: 403 })\n}',
        },
      }
    case 'unbound-proof':
      return unboundProofWords(place, b)
    case 'price':
      return {
        title: 'The browser says what the purchase costs',
        message: `${place} calls ${b.verb} with an amount that comes from ${b.by}, and the request also says what is bought. Nothing compares the amount with what the thing costs.`,
        attack: 'Any signed-in user sends the request with another amount, pays next to nothing, and the payment counts as one for the thing itself.',
        fix: {
          text: 'Look the price up on the server by the id of what is bought, and calculate the amount from that.',
          language: 'ts',
          code: "const { data: item } = await admin.from('products').select('price').eq('id', productId).single()\nconst amount = Math.round(item.price * 100)",
        },
      }
    case 'email-lookup':
      return {
        title: 'The customer is looked up by e-mail address',
        message: `${place}: ${b.what}. An e-mail address is no identity: the user can change it, and the processor may hold several customers with it.`,
        attack: 'A user who takes over or registers an address gets the customer object, invoices and portal of the person who paid with it.',
        fix: {
          text: "Store the processor's customer id with the user when it is created, and look it up by the user's id.",
          language: 'ts',
          code: ownCustomer(how.library, b),
        },
      }
  }
}

/** The customer's id out of the caller's own row, in the words of the library that the application uses. */
function ownCustomer(library: string | undefined, b: OwnershipBreach): string {
  const caller = b.callerAs ?? 'user.id'
  switch (library) {
    case 'prisma':
      return `const own = await prisma.user.findUnique({ where: { id: ${caller} }, select: { stripeCustomerId: true } })`
    case 'drizzle':
      return `const [own] = await db.select().from(users).where(eq(users.id, ${caller}))\n// own.stripeCustomerId`
    case 'mongoose':
      return `const own = await User.findById(${caller})\n// own.stripeCustomerId`
    case 'pg':
      return `// parameters: [${caller}]\nconst own = 'select stripe_customer_id from users where id = $1'`
    default:
      return `const { data: own } = await supabase.from('profiles').select('stripe_customer_id').eq('id', ${caller}).single()`
  }
}

/** The query with the condition added, where the handler itself makes it and its owner column is certain. */
function boundQuery(route: Route, b: OwnershipBreach): Pick<Fix, 'rewrite'> {
  if (b.library !== 'supabase' || !b.ownerColumn || !b.ownerKnown || !b.callerAs || b.at.path !== route.path || b.at.line <= route.line) return {}
  const above = b.at.line - route.line
  return { rewrite: { path: route.path, line: route.line, endLine: b.at.line + 12, apply: alsoEqual(b.ownerColumn, b.callerAs, above) } }
}

/** The condition that keeps a statement to the caller's rows, in the words of the library that the handler uses. */
function ownRows(b: OwnershipBreach): string {
  const column = b.ownerColumn ?? 'user_id'
  const caller = b.callerAs ?? 'user.id'
  if (b.library === 'prisma') return `where: { ${column}: ${caller} }`
  if (b.library === 'drizzle') return `.where(eq(table.${camelCase(column)}, ${caller}))`
  return filterCode(b)
    .replace(/\bid, |id = \$1 and /, '')
    .replace('$2   -- [id, ', '$1   -- [')
}

/** Drizzle's tables are objects of the code, and so are named their columns. */
const camelCase = (column: string): string => column.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** The missing condition in the words of the library that the handler uses. */
function filterCode(b: OwnershipBreach): string {
  const column = b.ownerColumn ?? 'user_id'
  const caller = b.callerAs ?? 'user.id'
  switch (b.library) {
    case 'prisma':
      return `where: { id, ${column}: ${caller} }`
    case 'drizzle':
      return `.where(and(eq(table.id, id), eq(table.${camelCase(column)}, ${caller})))`
    case 'mongoose':
      return `{ _id: id, ${column}: ${caller} }`
    case 'sequelize':
    case 'typeorm':
      return `where: { id, ${column}: ${caller} }`
    case 'knex':
      return `.where({ id, ${column}: ${caller} })`
    case 'kysely':
      return `.where('${column}', '=', ${caller})`
    case 'pg':
      return `where id = $1 and ${column} = $2   -- [id, ${caller}]`
    default:
      return `.eq('${column}', ${caller})`
  }
}

/** The body of a request, as the framework hands it to the handler. */
function bodyOf({ framework, answers }: Route): string {
  if (/^(?:Express|Fastify|NestJS|Koa)/.test(framework) || answers === 'res') return framework === 'Koa' ? 'ctx.request.body' : 'req.body'
  return answers === 'status-object' ? "JSON.parse(event.body ?? '{}')" : framework === 'Hono' ? 'await c.req.json()' : 'await request.json()'
}
