import { API } from './operators/api.ts'
import { AUTH } from './operators/auth.ts'
import { CODE } from './operators/code.ts'
import { ENV } from './operators/env.ts'
import { PAYMENTS } from './operators/payments.ts'
import { RLS } from './operators/rls.ts'
import type { Operator } from './plant.ts'

/** At least three operators for each check that code or SQL can break. */
export const OPERATORS: readonly Operator[] = [...RLS, ...AUTH, ...ENV, ...API, ...PAYMENTS, ...CODE]
