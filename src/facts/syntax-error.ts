/**
 * How the message of a syntax error begins. The parser goes on behind one, so that names, literals and imports are known all the
 * same; what is in doubt is the order in which the file does things.
 */
export const SYNTAX_ERROR = 'has a syntax error'
