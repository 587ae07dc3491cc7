/** In place of a package: the client of an identity provider that a framework's module left on the context of the request. */
export const LEFT_PROVIDER = 'identity-provider:left-on-context'
