import { isInAdministratorsCookie } from '../principal/admin-session-cookie.ts'
import { adminExample, besideWords, roleCode } from '../remediation/code-conventions.ts'
import { refusal } from '../remediation/refusal-response.ts'
import type { WordsOfKinds } from './types.ts'

/** A cookie of their own keeps users out only where nothing of theirs opens under its name. */
const RENAMED =
  ' The cookie is named for them, but neither a seal nor a signature says for which cookie it was made: what users are given with the same key passes under this name as well.'

/** What is said where any signed-in user runs what is an administrator's or the scheduler's, and where the request chooses a file or what a database function works on. */
export const OPERATION_WORDS = {
  admin({ route, b, how, who, place }) {
    const renamed = isInAdministratorsCookie(route.guard?.how)
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
    if (b.asks)
      return {
        title: 'An admin operation is open to every signed-in user',
        message: `${place} ${b.what} with the service role, which goes past the policies of the table: they leave this to whom ${b.asks}() names, and refuse everybody else. The handler asks only whether somebody is signed in${who}.`,
        attack: `Any signed-in user calls it${b.by ? `, with whatever ${b.by} they choose` : ''}, and what the policies keep from them is done.`,
        fix: {
          text: `Ask the same before the operation, through the caller's own client: with the service role nobody is signed in, and the answer is always no. Whoever else is to do it, those who run the part that the row belongs to for example, has to be named beside it.`,
          language: 'ts',
          code: `const { data: may } = await callersClient.rpc('${b.asks}') // stands for the client that was asked who is signed in\nif (!may) {\n  ${refusal(route, 403)}\n}`,
        },
      }
    return {
      title: 'An admin operation is open to every signed-in user',
      message: b.area
        ? `By its path ${route.route} is for administrators, and ${place} ${b.what}. The handler asks only whether somebody is signed in${who}, not whether they are an administrator.${renamed ? RENAMED : ''}${besideWords(how.beside, route)}`
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
  },
  appoints({ route, b, how, who, place }) {
    return {
      title: 'Every signed-in user makes administrators',
      message: `${place} ${b.what}. The handler asks only whether somebody is signed in${who}, not whether they may give that role.`,
      attack: `Any signed-in user calls it with an address and a password of their own and the highest role, and signs in as that account.`,
      fix: {
        text: `Check a role that only the server can set before the account is made, and give out none that is higher than the caller's; where there are several businesses, take the one of the caller and not the request's.${adminExample(how)}`,
        language: 'ts',
        code: roleCode(route, b.callerAs),
      },
    }
  },
  job({ route, b, who, place }) {
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
  },
  file({ route, b, place }) {
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
          code: `const own = await fileOf(${b.callerAs ?? 'user.id'}) // stands for the look-up of the row that names the file, by the caller\nif (!own || own.url !== url) ${refusal(route, 404)}`,
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
  },
  function({ b, who, place }) {
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
            text: `Before the call, load the row that ${b.ownerColumn} names (or what it belongs to) and compare its owner with the caller; answer 404 where it is another. Where the function is called with the caller's own client instead, it can ask for auth.uid() itself.`,
          },
        }
  },
} satisfies WordsOfKinds
