/** Middleware for Express that verifies a JSON Web Token and answers 401 without one. */
export const TOKEN_MIDDLEWARE: readonly string[] = ['express-jwt', 'express-oauth2-jwt-bearer']
