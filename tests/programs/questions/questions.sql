-- A site of questions and answers: members ask and answer, comment and vote, and earn reputation.
CREATE TABLE users (
    id serial PRIMARY KEY,
    name varchar(40) NOT NULL UNIQUE,
    about text NOT NULL DEFAULT '',
    reputation integer NOT NULL DEFAULT 1,
    is_active boolean NOT NULL DEFAULT true
);

-- Answers have a parent, the question; questions have none.
CREATE TABLE posts (
    id serial PRIMARY KEY,
    parent_id integer REFERENCES posts (id),
    author_id integer NOT NULL REFERENCES users (id),
    title varchar(200),
    body text NOT NULL,
    score integer NOT NULL DEFAULT 0,
    answers integer NOT NULL DEFAULT 0,
    views integer NOT NULL DEFAULT 0,
    accepted_id integer REFERENCES posts (id),
    status varchar(10) NOT NULL DEFAULT 'open'
);

CREATE TABLE comments (
    id serial PRIMARY KEY,
    post_id integer NOT NULL REFERENCES posts (id),
    author_id integer NOT NULL REFERENCES users (id),
    body text NOT NULL
);

CREATE TABLE votes (
    post_id integer NOT NULL REFERENCES posts (id),
    user_id integer NOT NULL REFERENCES users (id),
    value integer NOT NULL CHECK (value IN (-1, 1)),
    PRIMARY KEY (post_id, user_id)
);

CREATE TABLE tags (
    post_id integer NOT NULL REFERENCES posts (id),
    name varchar(30) NOT NULL,
    PRIMARY KEY (post_id, name)
);

-- Members

CREATE FUNCTION register(p_name text, p_about text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_id integer;
BEGIN
    IF EXISTS (SELECT 1 FROM users WHERE name = p_name) THEN
        RAISE EXCEPTION 'the name % is taken', p_name;
    END IF;
    INSERT INTO users (name, about) VALUES (p_name, p_about) RETURNING id INTO v_id;
    RETURN v_id;
END
$$;

CREATE PROCEDURE edit_profile(p_user integer, p_name text, p_about text) LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM users WHERE name = p_name AND id <> p_user) THEN
        RAISE EXCEPTION 'the name % is taken', p_name;
    END IF;
    UPDATE users SET name = p_name, about = p_about WHERE id = p_user AND is_active;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no member %', p_user;
    END IF;
END
$$;

-- Members who leave take their votes along; what they wrote stays.
CREATE PROCEDURE leave_site(p_user integer) LANGUAGE plpgsql AS $$
DECLARE
    v_vote record;
BEGIN
    FOR v_vote IN SELECT post_id, value FROM votes WHERE user_id = p_user LOOP
        UPDATE posts SET score = score - v_vote.value WHERE id = v_vote.post_id;
    END LOOP;
    DELETE FROM votes WHERE user_id = p_user;
    UPDATE users SET name = 'member ' || p_user, about = '', is_active = false
    WHERE id = p_user;
END
$$;

CREATE FUNCTION profile(p_user integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_member record;
    v_posts integer;
    v_votes integer;
BEGIN
    SELECT name, reputation, is_active INTO v_member FROM users WHERE id = p_user;
    IF NOT FOUND OR NOT v_member.is_active THEN
        RETURN NULL;
    END IF;
    SELECT count(*) INTO v_posts FROM posts WHERE author_id = p_user AND status <> 'deleted';
    SELECT count(*) INTO v_votes FROM votes WHERE user_id = p_user;
    RETURN v_member.name || ': ' || v_member.reputation || ', ' || v_posts || ' posts, '
        || v_votes || ' votes';
END
$$;

-- Reputation from scratch: ten for each vote for an answer, five for a question, less two for each
-- vote against, and fifteen for each answer that was accepted.
CREATE FUNCTION recompute_reputation(p_user integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_vote record;
    v_sum integer := 1;
    v_accepted integer;
BEGIN
    FOR v_vote IN
        SELECT v.value, p.parent_id
        FROM votes v JOIN posts p ON p.id = v.post_id
        WHERE p.author_id = p_user
    LOOP
        IF v_vote.value < 0 THEN
            v_sum := v_sum - 2;
        ELSIF v_vote.parent_id IS NULL THEN
            v_sum := v_sum + 5;
        ELSE
            v_sum := v_sum + 10;
        END IF;
    END LOOP;
    SELECT count(*) INTO v_accepted
    FROM posts a JOIN posts q ON q.accepted_id = a.id
    WHERE a.author_id = p_user;
    UPDATE users SET reputation = v_sum + 15 * v_accepted WHERE id = p_user;
    RETURN v_sum + 15 * v_accepted;
END
$$;

CREATE FUNCTION leaders(p_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_member record;
    v_text text := '';
BEGIN
    FOR v_member IN
        SELECT name, reputation FROM users WHERE is_active ORDER BY reputation DESC LIMIT p_limit
    LOOP
        v_text := v_text || v_member.name || ' ' || v_member.reputation || E'\n';
    END LOOP;
    RETURN v_text;
END
$$;

-- Questions

CREATE FUNCTION ask(p_author integer, p_title text, p_body text, p_tags text[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_id integer;
    v_tag text;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM users WHERE id = p_author AND is_active) THEN
        RAISE EXCEPTION 'there is no member %', p_author;
    END IF;
    INSERT INTO posts (author_id, title, body) VALUES (p_author, p_title, p_body)
    RETURNING id INTO v_id;
    FOREACH v_tag IN ARRAY p_tags LOOP
        INSERT INTO tags (post_id, name) VALUES (v_id, v_tag);
    END LOOP;
    RETURN v_id;
END
$$;

CREATE FUNCTION view_question(p_question integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_question record;
    v_answer record;
    v_comment record;
    v_text text;
BEGIN
    SELECT p.title, p.body, p.score, u.name AS author INTO v_question
    FROM posts p JOIN users u ON u.id = p.author_id
    WHERE p.id = p_question AND p.status <> 'deleted';
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    UPDATE posts SET views = views + 1 WHERE id = p_question;
    v_text := v_question.title || ' by ' || v_question.author || ': ' || v_question.body;
    FOR v_answer IN
        SELECT id, body, score FROM posts
        WHERE parent_id = p_question AND status <> 'deleted'
        ORDER BY score DESC
    LOOP
        v_text := v_text || E'\n' || v_answer.score || ' ' || v_answer.body;
        FOR v_comment IN SELECT body FROM comments WHERE post_id = v_answer.id ORDER BY id LOOP
            v_text := v_text || E'\n- ' || v_comment.body;
        END LOOP;
    END LOOP;
    RETURN v_text;
END
$$;

CREATE FUNCTION search_by_tag(p_tag text, p_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_question record;
    v_text text := '';
BEGIN
    FOR v_question IN
        SELECT p.title, p.score, p.answers
        FROM tags t JOIN posts p ON p.id = t.post_id
        WHERE t.name = p_tag AND p.status <> 'deleted'
        ORDER BY p.score DESC LIMIT p_limit
    LOOP
        v_text := v_text || v_question.title || ' ' || v_question.score || ' '
            || v_question.answers || E'\n';
    END LOOP;
    RETURN v_text;
END
$$;

CREATE FUNCTION unanswered(p_limit integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    v_question record;
    v_text text := '';
BEGIN
    FOR v_question IN
        SELECT id, title FROM posts
        WHERE parent_id IS NULL AND answers = 0 AND status = 'open'
        ORDER BY id DESC LIMIT p_limit
    LOOP
        v_text := v_text || v_question.id || ' ' || v_question.title || E'\n';
    END LOOP;
    RETURN v_text;
END
$$;

CREATE PROCEDURE retag(p_user integer, p_question integer, p_old text, p_new text)
LANGUAGE plpgsql AS $$
DECLARE
    v_reputation integer;
    v_author integer;
BEGIN
    SELECT author_id INTO v_author FROM posts WHERE id = p_question AND parent_id IS NULL;
    SELECT reputation INTO v_reputation FROM users WHERE id = p_user AND is_active;
    IF v_author <> p_user AND v_reputation < 500 THEN
        RAISE EXCEPTION 'to tag questions of others takes a reputation of 500';
    END IF;
    DELETE FROM tags WHERE post_id = p_question AND name = p_old;
    INSERT INTO tags (post_id, name) VALUES (p_question, p_new)
    ON CONFLICT (post_id, name) DO NOTHING;
END
$$;

CREATE PROCEDURE close_question(p_user integer, p_question integer) LANGUAGE plpgsql AS $$
DECLARE
    v_reputation integer;
BEGIN
    SELECT reputation INTO v_reputation FROM users WHERE id = p_user AND is_active;
    IF v_reputation < 1000 THEN
        RAISE EXCEPTION 'to close takes a reputation of 1000';
    END IF;
    UPDATE posts SET status = 'closed'
    WHERE id = p_question AND parent_id IS NULL AND status = 'open';
END
$$;

CREATE PROCEDURE reopen_question(p_user integer, p_question integer) LANGUAGE plpgsql AS $$
DECLARE
    v_reputation integer;
BEGIN
    SELECT reputation INTO v_reputation FROM users WHERE id = p_user AND is_active;
    IF v_reputation < 1000 THEN
        RAISE EXCEPTION 'to open again takes a reputation of 1000';
    END IF;
    UPDATE posts SET status = 'open' WHERE id = p_question AND status = 'closed';
END
$$;

-- Answers

CREATE FUNCTION answer(p_author integer, p_question integer, p_body text)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_status text;
    v_id integer;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM users WHERE id = p_author AND is_active) THEN
        RAISE EXCEPTION 'there is no member %', p_author;
    END IF;
    SELECT status INTO v_status FROM posts WHERE id = p_question AND parent_id IS NULL;
    IF NOT FOUND OR v_status <> 'open' THEN
        RAISE EXCEPTION 'question % takes no answers', p_question;
    END IF;
    INSERT INTO posts (parent_id, author_id, body) VALUES (p_question, p_author, p_body)
    RETURNING id INTO v_id;
    UPDATE posts SET answers = answers + 1 WHERE id = p_question;
    RETURN v_id;
END
$$;

-- Another answer may have been accepted before, whose author then loses what he earned with it.
CREATE PROCEDURE accept_answer(p_user integer, p_answer integer) LANGUAGE plpgsql AS $$
DECLARE
    v_answer record;
    v_question record;
    v_former integer;
BEGIN
    SELECT parent_id, author_id INTO v_answer FROM posts
    WHERE id = p_answer AND status <> 'deleted';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no answer %', p_answer;
    END IF;
    SELECT author_id, accepted_id INTO v_question FROM posts WHERE id = v_answer.parent_id;
    IF v_question.author_id <> p_user THEN
        RAISE EXCEPTION 'only who asked may accept';
    END IF;
    IF v_question.accepted_id IS NOT NULL THEN
        SELECT author_id INTO v_former FROM posts WHERE id = v_question.accepted_id;
        UPDATE users SET reputation = reputation - 15 WHERE id = v_former;
    END IF;
    UPDATE posts SET accepted_id = p_answer WHERE id = v_answer.parent_id;
    UPDATE users SET reputation = reputation + 15 WHERE id = v_answer.author_id;
END
$$;

-- Posts of either kind

CREATE PROCEDURE edit_post(p_user integer, p_post integer, p_body text) LANGUAGE plpgsql AS $$
DECLARE
    v_author integer;
    v_reputation integer;
BEGIN
    SELECT author_id INTO v_author FROM posts WHERE id = p_post AND status <> 'deleted';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no post %', p_post;
    END IF;
    IF v_author <> p_user THEN
        SELECT reputation INTO v_reputation FROM users WHERE id = p_user AND is_active;
        IF v_reputation < 2000 THEN
            RAISE EXCEPTION 'to edit posts of others takes a reputation of 2000';
        END IF;
        UPDATE users SET reputation = reputation + 2 WHERE id = p_user;
    END IF;
    UPDATE posts SET body = p_body WHERE id = p_post;
END
$$;

-- A question is deleted with its tags, an answer is no longer counted; comments go either way.
CREATE PROCEDURE delete_post(p_user integer, p_post integer) LANGUAGE plpgsql AS $$
DECLARE
    v_post record;
BEGIN
    SELECT author_id, parent_id, answers INTO v_post FROM posts
    WHERE id = p_post AND status <> 'deleted';
    IF NOT FOUND OR v_post.author_id <> p_user THEN
        RAISE EXCEPTION 'post % is not to be deleted', p_post;
    END IF;
    DELETE FROM comments WHERE post_id = p_post;
    IF v_post.parent_id IS NULL THEN
        IF v_post.answers > 0 THEN
            RAISE EXCEPTION 'question % has answers', p_post;
        END IF;
        DELETE FROM tags WHERE post_id = p_post;
    ELSE
        UPDATE posts SET answers = answers - 1 WHERE id = v_post.parent_id;
    END IF;
    UPDATE posts SET status = 'deleted' WHERE id = p_post;
END
$$;

-- Votes

CREATE PROCEDURE vote_up(p_user integer, p_post integer) LANGUAGE plpgsql AS $$
DECLARE
    v_author integer;
    v_parent integer;
BEGIN
    SELECT author_id, parent_id INTO v_author, v_parent FROM posts
    WHERE id = p_post AND status <> 'deleted';
    IF NOT FOUND OR v_author = p_user THEN
        RAISE EXCEPTION 'no vote for post %', p_post;
    END IF;
    INSERT INTO votes (post_id, user_id, value) VALUES (p_post, p_user, 1);
    UPDATE posts SET score = score + 1 WHERE id = p_post;
    IF v_parent IS NULL THEN
        UPDATE users SET reputation = reputation + 5 WHERE id = v_author;
    ELSE
        UPDATE users SET reputation = reputation + 10 WHERE id = v_author;
    END IF;
END
$$;

-- A vote against costs who casts it a point, too.
CREATE PROCEDURE vote_down(p_user integer, p_post integer) LANGUAGE plpgsql AS $$
DECLARE
    v_reputation integer;
    v_author integer;
BEGIN
    SELECT reputation INTO v_reputation FROM users WHERE id = p_user AND is_active;
    IF v_reputation < 100 THEN
        RAISE EXCEPTION 'to vote against takes a reputation of 100';
    END IF;
    SELECT author_id INTO v_author FROM posts WHERE id = p_post AND status <> 'deleted';
    IF NOT FOUND OR v_author = p_user THEN
        RAISE EXCEPTION 'no vote against post %', p_post;
    END IF;
    INSERT INTO votes (post_id, user_id, value) VALUES (p_post, p_user, -1);
    UPDATE posts SET score = score - 1 WHERE id = p_post;
    UPDATE users SET reputation = reputation - 2 WHERE id = v_author;
    UPDATE users SET reputation = v_reputation - 1 WHERE id = p_user;
END
$$;

CREATE PROCEDURE retract_vote(p_user integer, p_post integer) LANGUAGE plpgsql AS $$
DECLARE
    v_value integer;
    v_author integer;
    v_parent integer;
BEGIN
    DELETE FROM votes WHERE post_id = p_post AND user_id = p_user RETURNING value INTO v_value;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    UPDATE posts SET score = score - v_value WHERE id = p_post
    RETURNING author_id, parent_id INTO v_author, v_parent;
    IF v_value < 0 THEN
        UPDATE users SET reputation = reputation + 2 WHERE id = v_author;
        UPDATE users SET reputation = reputation + 1 WHERE id = p_user;
    ELSIF v_parent IS NULL THEN
        UPDATE users SET reputation = reputation - 5 WHERE id = v_author;
    ELSE
        UPDATE users SET reputation = reputation - 10 WHERE id = v_author;
    END IF;
END
$$;

-- Comments

CREATE FUNCTION comment_on(p_user integer, p_post integer, p_body text)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    v_author integer;
    v_reputation integer;
    v_id integer;
BEGIN
    SELECT author_id INTO v_author FROM posts WHERE id = p_post AND status <> 'deleted';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no post %', p_post;
    END IF;
    SELECT reputation INTO v_reputation FROM users WHERE id = p_user AND is_active;
    IF v_author <> p_user AND v_reputation < 50 THEN
        RAISE EXCEPTION 'to comment takes a reputation of 50';
    END IF;
    INSERT INTO comments (post_id, author_id, body) VALUES (p_post, p_user, p_body)
    RETURNING id INTO v_id;
    RETURN v_id;
END
$$;

CREATE PROCEDURE edit_comment(p_user integer, p_comment integer, p_body text)
LANGUAGE plpgsql AS $$
DECLARE
    v_author integer;
BEGIN
    SELECT author_id INTO v_author FROM comments WHERE id = p_comment;
    IF v_author <> p_user THEN
        RAISE EXCEPTION 'comment % is by somebody else', p_comment;
    END IF;
    UPDATE comments SET body = p_body WHERE id = p_comment;
END
$$;

-- Who wrote a comment may delete it, and who wrote what it is about.
CREATE PROCEDURE delete_comment(p_user integer, p_comment integer) LANGUAGE plpgsql AS $$
DECLARE
    v_comment record;
    v_owner integer;
BEGIN
    SELECT author_id, post_id INTO v_comment FROM comments WHERE id = p_comment;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT author_id INTO v_owner FROM posts WHERE id = v_comment.post_id;
    IF v_comment.author_id <> p_user AND v_owner <> p_user THEN
        RAISE EXCEPTION 'comment % is by somebody else', p_comment;
    END IF;
    DELETE FROM comments WHERE id = p_comment;
END
$$;
