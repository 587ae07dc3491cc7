import { constant, UNDEFINED, UNKNOWN, type Val } from '../../domain/abstract-value.ts'
import { madeKey } from '../../platform/nest-reflector.ts'
import { identify } from '../auth/identify.ts'
import { modelNamed } from '../databases/documents.ts'
import { connectionOf, modelOf } from '../databases/orm-models.ts'
import type { Library } from '../library.ts'

/** NestJS: what `@SetMetadata` decorators, and those that the reflector makes, say of the route at hand. */
const reflector: Library = {
  packages: ['@nestjs/core'],
  call(c) {
    if (c.name === 'Reflector.createDecorator') return constant(madeKey(c.at))
    if (!/^Reflector\.(?:get|getAll|getAllAndOverride|getAllAndMerge)$/.test(c.name)) return undefined
    const key = c.args[0]
    const metadata = c.it.request?.metadata
    if (!metadata || key?.v !== 'const' || typeof key.value !== 'string') return UNKNOWN
    return (metadata[key.value] as Val | undefined) ?? UNDEFINED
  },
}

/** Guards of passport: `AuthGuard('jwt').canActivate(context)` refuses with 401, or leaves the user on the request. */
const passport: Library = {
  packages: ['@nestjs/passport'],
  call(c) {
    if (!/AuthGuard(?:\.AuthGuard)*\.canActivate$/.test(c.name)) return undefined
    const user = identify(c, '@nestjs/passport AuthGuard')
    c.it.require(user, c.at, { ends: true, how: 'throw', status: 401 })
    const request = c.it.hosts.get('express-req')
    if (request) c.it.write(request.props, 'user', user)
    return constant(true)
  },
}

/** `JwtService`: verifying throws, decoding believes anything. */
const jwt: Library = {
  packages: ['@nestjs/jwt'],
  call(c) {
    if (/^JwtService\.verify(?:Async)?$/.test(c.name)) {
      const user = identify(c, 'JwtService.verify()')
      c.it.require(user, c.at)
      return user
    }
    if (/^JwtService\.decode$/.test(c.name)) return identify(c, 'JwtService.decode() without verification', 'claimed')
    return /^JwtService\.sign(?:Async)?$/.test(c.name) ? { v: 'call', name: 'signed-token', args: c.args.slice(0, 1), at: c.at } : undefined
  },
}

/** The context of a GraphQL resolver wraps the one that a guard is given. */
const graphql: Library = {
  packages: ['@nestjs/graphql'],
  call: (c) => (c.name === 'GqlExecutionContext.create' ? c.args[0] : undefined),
}

/** `@InjectModel(User.name)`: the model that a module registered under the name. */
const models: Library = {
  packages: ['@nestjs/mongoose'],
  call: (c) => (c.name === 'InjectModel' ? modelNamed(c.args, c.at) : undefined),
}

/** `@InjectRepository(User)` of TypeORM, with its connection and its manager. */
const repositories: Library = {
  packages: ['@nestjs/typeorm'],
  call(c) {
    if (c.name === 'InjectRepository') return modelOf('typeorm', c.args[0], c.at)
    return /^Inject(?:DataSource|EntityManager|Connection)$/.test(c.name) ? connectionOf('typeorm', c.at) : undefined
  },
}

/** `@InjectModel(User)` of Sequelize. */
const sequelizeModels: Library = {
  packages: ['@nestjs/sequelize'],
  call(c) {
    if (c.name === 'InjectModel') return modelOf('sequelize', c.args[0], c.at)
    return c.name === 'InjectConnection' ? connectionOf('sequelize', c.at) : undefined
  },
}

export const NEST_LIBRARIES: readonly Library[] = [reflector, passport, jwt, graphql, models, repositories, sequelizeModels]
