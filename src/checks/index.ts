import apiAuth from './api/auth.ts'
import apiOwnership from './api/ownership.ts'
import apiRateLimit from './api/rate-limit.ts'
import apiSqlInjection from './api/sql-injection.ts'
import authOauthRedirect from './auth/oauth-redirect.ts'
import authOtpExpiry from './auth/otp-expiry.ts'
import authPasswordReset from './auth/password-reset.ts'
import authProtectedRoutes from './auth/protected-routes.ts'
import authSessionRefresh from './auth/session-refresh.ts'
import codeDependencies from './code/dependencies.ts'
import codeHardcoded from './code/hardcoded.ts'
import type { Check } from './define-check.ts'
import envCommitted from './env/committed.ts'
import envPublicDatabaseUrl from './env/public-database-url.ts'
import envPublicSecret from './env/public-secret.ts'
import envSeparation from './env/separation.ts'
import paymentsIdempotency from './payments/idempotency.ts'
import paymentsPaymentFailed from './payments/payment-failed.ts'
import paymentsSignature from './payments/signature.ts'
import paymentsSubscriptionDeleted from './payments/subscription-deleted.ts'
import rlsEnabled from './rls/enabled.ts'
import rlsInsertOwner from './rls/insert-owner.ts'
import rlsSelectOwner from './rls/select-owner.ts'
import rlsServiceRoleClient from './rls/service-role-client.ts'
import rlsStorage from './rls/storage.ts'
import rlsWriteOwner from './rls/write-owner.ts'

/** The 25 checks, in the order of their numbers. */
export const CHECKS: readonly Check[] = [
  rlsEnabled,
  rlsSelectOwner,
  rlsInsertOwner,
  rlsWriteOwner,
  rlsServiceRoleClient,
  rlsStorage,
  authOauthRedirect,
  authPasswordReset,
  authSessionRefresh,
  authProtectedRoutes,
  authOtpExpiry,
  envPublicDatabaseUrl,
  envPublicSecret,
  envCommitted,
  envSeparation,
  apiAuth,
  apiOwnership,
  apiRateLimit,
  apiSqlInjection,
  paymentsSignature,
  paymentsPaymentFailed,
  paymentsSubscriptionDeleted,
  paymentsIdempotency,
  codeDependencies,
  codeHardcoded,
] as unknown as readonly Check[]
