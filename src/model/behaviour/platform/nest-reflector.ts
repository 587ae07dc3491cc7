import type { Place } from '../../../lib/place.ts'

/** The key of what a decorator says that NestJS' `Reflector.createDecorator` made: that of whatever is made at this place. */
export const madeKey = ({ path, line }: Place): string => `made at ${path}:${line}`
