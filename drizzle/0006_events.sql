CREATE TABLE "events" (
	"position" bigint PRIMARY KEY NOT NULL,
	"time" timestamp with time zone NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"data" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feed" (
	"is_only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"deleted" bigint DEFAULT 0 NOT NULL,
	"last" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "feed_is_only" CHECK ("feed"."is_only")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"seq" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_seq_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"writer" integer DEFAULT pg_backend_pid() NOT NULL,
	"time" timestamp with time zone DEFAULT statement_timestamp() NOT NULL,
	"rank" smallint NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"data" json NOT NULL
);
--> statement-breakpoint
CREATE INDEX "events_subject" ON "events" USING btree ("subject","position");--> statement-breakpoint
INSERT INTO "feed" DEFAULT VALUES;
