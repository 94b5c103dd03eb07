"""Articles: Flask over SQLAlchemy without its ORM, in a database of its own."""

import os

import flask
import sqlalchemy

ENGINE = sqlalchemy.create_engine(os.environ["STOCK_DATABASE"], pool_size=2)
METADATA = sqlalchemy.MetaData()
ARTICLE = sqlalchemy.Table("article", METADATA,
                           sqlalchemy.Column("name", sqlalchemy.Text, primary_key=True),
                           sqlalchemy.Column("left", sqlalchemy.Integer, nullable=False))
app = flask.Flask("stock")


@app.get("/health")
def health():
    return {}


@app.post("/articles/<name>/reservations")
def reserve(name):
    with ENGINE.begin() as connection:
        left = connection.execute(sqlalchemy.select(ARTICLE.c.left)
                                  .where(ARTICLE.c.name == name)).scalar_one()
        if left == 0:
            return {}, 409
        connection.execute(sqlalchemy.update(ARTICLE).where(ARTICLE.c.name == name)
                           .values(left=left - 1))
    return {"left": left - 1}, 201


if __name__ == "__main__":
    app.run("127.0.0.1", int(os.environ["STOCK_PORT"]), threaded=True)
