import * as v from 'valibot'
import type { DatabaseResult, ReplayInput } from '../database.ts'
import type { Answer } from '../sandbox/protocol.ts'
import { Accounts } from './accounts.ts'
import { Grounds } from './grounds.ts'
import { notPlain } from './json-value.ts'
import { AppliedOrder, notAnOrder } from './order.ts'
import type { ToldResult } from './outcome.ts'
import { answer, databaseResult, template } from './schema.ts'
import { SentSql } from './sent.ts'
import { wrongFunction } from './verify-functions.ts'
import { wrongGrant } from './verify-grants.ts'
import { wrongHole } from './verify-holes.ts'
import { wrongPlace } from './verify-places.ts'
import { wrongPolicy } from './verify-policies.ts'
import { wrongRelation } from './verify-relations.ts'

/** A message of the sandbox's process that has the shape of one; otherwise why not. */
export function readAnswer(message: unknown): { readonly answer: Answer } | { readonly refused: string } {
  // longer than any text of a result, and nothing else comes with it
  if (isTemplate(message)) return { answer: message }
  const unplain = notPlain(message)
  if (unplain !== undefined) return { refused: unplain }
  const parsed = v.safeParse(answer, message, { abortEarly: true })
  return parsed.success ? { answer: message as Answer } : { refused: `${pathOf(parsed.issues[0])} is not what a result has there` }
}

function isTemplate(message: unknown): message is Extract<Answer, { type: 'template' }> {
  return v.is(template, message)
}

/** Whether a value has the shape of a result: what a cache gives. */
export function isDatabaseResult(value: unknown): value is DatabaseResult {
  return notPlain(value) === undefined && v.is(databaseResult, value)
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  return (
    issue.path
      ?.map((p) => String(p.key))
      .join('.')
      .slice(0, 200) || 'the message'
  )
}

/**
 * The result, if it can be what the sandbox found in the SQL that it was sent; otherwise why not. The parent reads the SQL by itself: each statement is
 * accounted for, and what is told of tables, policies, functions and privileges stems from statements that could have led to it. Nothing is refused that an
 * honest replay can give, so what only the engine can tell (cells of the access matrix, what blocks and functions did) is believed.
 */
export function believed(input: ReplayInput, told: ToldResult): { readonly result: DatabaseResult } | { readonly refused: string } {
  const { outcomes = [], ...result } = told
  // it says by itself that it knows nothing
  if (told.gaps.some((g) => g.lost)) return isEmpty(result) ? { result } : { refused: 'it says that it knows nothing, and tells of something' }
  const sent = new SentSql(input)
  const accounts = new Accounts(sent, outcomes)
  const { order = [] } = told
  const grounds = new Grounds(sent, told, accounts, new AppliedOrder(sent, order))
  const wrong =
    wrongPlace(grounds) ??
    wrongRelation(grounds) ??
    wrongPolicy(grounds) ??
    wrongFunction(grounds) ??
    wrongGrant(grounds) ??
    wrongHole(grounds) ??
    notAnOrder(sent, order) ??
    accounts.mistake(told)
  return wrong === undefined ? { result } : { refused: wrong }
}

function isEmpty({ catalog, access }: DatabaseResult): boolean {
  const { speaksOfStorage: _, ...lists } = catalog
  return access.objects.length === 0 && Object.values(lists).every((list) => list.length === 0)
}
