/** Packages whose calls work on values in memory, on the text of a page or on other servers: what they find or remove is no row of the application. */
export const HELPER_PACKAGES =
  /^(?:node:|react|vue|svelte|next|nuxt|@remix-run|@tanstack|@react-router|express|fastify|hono|koa|@hono|@nestjs|@trpc|lodash|underscore|ramda|remeda|radash|immer|cheerio|jsdom|date-fns|dayjs|luxon|moment|fuse\.js|fs|path|child_process|axios|got|ky|zod|yup|joi|valibot|xml2js|xlsx|exceljs|papaparse|sharp|i18next)/
