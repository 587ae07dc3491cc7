import { expect, test } from 'vitest'
import { asItsOwner } from '../../../src/database/access/functions/current-user-in-definer.ts'

const flat = (body: string): string => asItsOwner(body, 'postgres').replace(/\s+/g, ' ').trim()

test.each([
  ['a branch for others is never taken', "if current_user <> 'postgres' then a; end if; b;", 'null; b;'],
  ['what else is asked with it changes nothing', "if tg_op = 'UPDATE' and current_user not in ('postgres', 'x') then a; end if; b;", 'null; b;'],
  ['what stands in its place is', "if current_role = 'anon' then a; else b; end if; c;", 'b; ; c;'],
  ['nor one of several', "if current_user = 'anon' or current_user = 'authenticated' then a; end if; b;", 'null; b;'],
  ['the next question is asked', "if 'anon' = current_user::text then a; elsif x then b; end if; c;", 'if x then b; end if; c;'],
  [
    'nothing follows the return of the owner',
    "if current_user in ('postgres') then return new; end if; b;",
    "if current_user in ('postgres') then return new;",
  ],
  [
    'what follows ELSE is a question with an end of its own',
    "if current_user <> 'postgres' then a; else if x then b; end if; end if; c;",
    'if x then b; end if; ; c;',
  ],
  ['inside of another question it may', "if x then if current_user = 'postgres' then return new; end if; end if; b;", undefined],
  ['a branch for the owner that does not return leaves what follows', "if current_user = 'postgres' then a; end if; b;", undefined],
  ['another question that lets people past as well stays', "if x or current_user <> 'postgres' then a; end if; b;", undefined],
  ['who calls is still somebody', "if session_user <> 'postgres' then a; end if; b;", undefined],
  ['a value by cases is no branch', "new.a := case when current_user = 'x' then 1 else 2 end; b;", undefined],
  ['what does not end is left', "if current_user <> 'postgres' then a; b;", undefined],
])('%s', (_what, body, left) => {
  expect(flat(body)).toBe(left ?? body)
})
